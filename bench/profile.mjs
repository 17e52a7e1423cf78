/**
 * The profiler: which part of the samples of TPC-H queries finds its owner, how far shares are off on plans whose work is known, and what sampling costs.
 * `--only=accuracy,shared` leaves out the other cases (attributed, examples, accuracy, shared, unprofiled, and overhead, of which overhead-cache, overhead-memory and
 * overhead-curve are parts of three minutes each), `--plans=N` and `--rounds=N` say how many plans and rounds, `--seed=N` which plans. Needs nothing but Node and the built package; examples where they are there.
 */
import { inFolder, option } from './harness.mjs';
import { knownWork } from './profile/accuracy.mjs';
import { attributed, examples } from './profile/attributed.mjs';
import { overheadCache, overheadCurve, overheadMemory } from './profile/overhead.mjs';
import { sharedCode } from './profile/shared.mjs';
import { unprofiled } from './profile/unprofiled.mjs';

/** Seeds up to 12 were looked at while it was made. */
const SEED = 2025;

export default async function profile(report, { args }) {
  const only = option(args, 'only')?.split(',');
  const options = {
    plans: Number(option(args, 'plans') ?? 50),
    rounds: Number(option(args, 'rounds') ?? 16),
    seed: Number(option(args, 'seed') ?? SEED),
  };
  const cases = {
    attributed,
    'overhead-cache': overheadCache,
    'overhead-memory': overheadMemory,
    'overhead-curve': overheadCurve,
    unprofiled,
    shared: sharedCode,
    accuracy: knownWork,
    examples,
  };
  const isMeant = (name, asked) => name === asked || name.startsWith(`${asked}-`);
  const unknown = only?.find(asked => !Object.keys(cases).some(name => isMeant(name, asked)));
  if (unknown !== undefined)
    throw new Error(`There is no case ${unknown}; there are ${Object.keys(cases).join(', ')}.`);
  await inFolder(async folder => {
    for (const [name, measure] of Object.entries(cases)) {
      if (only === undefined ? name !== 'examples' : only.some(asked => isMeant(name, asked)))
        await measure(report, folder, options);
    }
  });
}
