/**
 * The pyramid over ten million spans: time from the recording on disk to all levels, and the most memory that takes. Each round has a
 * process to itself; this file is also that process's program.
 */
import { foldRecords, openRun } from 'venturi/store';
import { inChild, medianOf, peakMemory, repeated, spread, timed } from '../harness.mjs';
import { LANES } from './spans.mjs';

const ROUNDS = 3;

export async function pyramidBuild(report, { run, code, spans }) {
  const rounds = await repeated(ROUNDS, () => inChild(import.meta.url, [run, code]));
  for (const round of rounds) {
    if (round.spans !== spans || round.lanes !== LANES) throw new Error(`the pyramid has ${round.spans} spans`);
  }
  report({
    case: 'pyramid/build-seconds-10M',
    ...spread(rounds.map(({ wall }) => wall)),
    unit: 's',
    goal: '<= 15',
    cpu: medianOf(rounds, 'cpu'),
    peakMb: Math.max(...rounds.map(({ rss }) => rss / 1e6)),
    levels: rounds[0].levels,
  });
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
  const [run, code] = process.argv.slice(2);
  const { PyramidFold } = await import(code);
  let pyramid;
  const took = await timed(async () => {
    const fold = new PyramidFold();
    await foldRecords(openRun(run).records(), [fold]);
    pyramid = fold.result();
  });
  const { spans, lanes, coarsest } = pyramid;
  const facts = { ...took, rss: peakMemory(), spans, lanes: lanes.length, levels: coarsest + 1 };
  process.stdout.write(`${JSON.stringify(facts)}\n`);
}
