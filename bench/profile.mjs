/**
 * The profiler: which part of the samples finds its owner, how far shares are off on plans whose work is known, and what sampling costs.
 * `--only=accuracy` leaves out the other cases (attributed, accuracy, shared, overhead), `--plans=N` and `--rounds=N` say how many plans and pairs
 * of runs, `--seed=N` which plans. Relational queries are no part of it yet.
 */
import { inFolder, option } from './harness.mjs';
import { knownWork, sharedCode } from './profile/accuracy.mjs';
import { attributed } from './profile/attributed.mjs';
import { overhead } from './profile/overhead.mjs';

export default async function profile(report, { args }) {
  const only = option(args, 'only');
  const options = {
    plans: Number(option(args, 'plans') ?? 50),
    rounds: Number(option(args, 'rounds') ?? 16),
    seed: Number(option(args, 'seed') ?? 1),
  };
  const cases = { attributed, accuracy: knownWork, shared: sharedCode, overhead };
  await inFolder(async folder => {
    for (const [name, measure] of Object.entries(cases)) {
      if (only === undefined || only === name) await measure(report, folder, options);
    }
  });
}
