import { inChild, median, medianInterval, timed } from '../harness.mjs';
import { atOnce } from './runs.mjs';

const SCALE = 0.05;
/** Runs of each query in a process: a few seconds together. */
const RUNS = 30;

/**
 * What tracking costs where nobody profiles: all 22 queries of TPC-H, compiled and run, against the same without line numbers of their own, dictionary and copies of helpers.
 * CPU of a process of its own, in rounds of base, tracked, base; the two without are the noise (A/A).
 */
export async function unprofiled(report, _folder, { rounds }) {
  const run = isTracked => inChild(import.meta.url, [isTracked ? 'tracked' : 'plain']);
  const results = await atOnce(Array.from({ length: rounds }), async (_, round) => {
    const first = await run(false);
    const tracked = await run(true);
    const second = await run(false);
    return {
      ratio: tracked.cpu / ((first.cpu + second.cpu) / 2) - 1,
      compiling: tracked.compiling / ((first.compiling + second.compiling) / 2) - 1,
      noise: round % 2 === 0 ? second.cpu / first.cpu - 1 : first.cpu / second.cpu - 1,
    };
  });
  const ofNoise = medianInterval(results.map(({ noise }) => noise));
  const noiseAt = Math.max(Math.abs(ofNoise.low), Math.abs(ofNoise.high));
  report({
    case: 'unprofiled-cost',
    ...medianInterval(results.map(({ ratio }) => ratio)),
    unit: 'of CPU',
    'of compiling alone': median(results.map(({ compiling }) => compiling)),
    'A/A': noiseAt,
    rounds,
    decided: noiseAt <= 0.01 ? 'yes' : 'no',
    goal: '<= 0.02',
  });
}

/** CPU of compiling all queries, and of all of it with so many runs of each. */
async function measured(isTracked) {
  const api = await import('venturi/relational');
  const { relationalTables, tpch } = await import('../query/tpch.mjs');
  const { queriesOf } = await import('../query/queries.mjs');
  const relations = Object.values(queriesOf(relationalTables(tpch(SCALE), api), SCALE, api)).map(make => make());
  let queries = [];
  const compiling = await timed(() => {
    queries = relations.map(relation => new api.Query(relation, { isTracked }));
  });
  const running = await timed(() => {
    for (let run = 0; run < RUNS; run++) for (const query of queries) query.columns();
  });
  return { compiling: compiling.cpu, cpu: compiling.cpu + running.cpu };
}

// As the program of a fresh process: `node unprofiled.mjs tracked|plain`.
if (process.argv[1] === new URL(import.meta.url).pathname) {
  process.stdout.write(`${JSON.stringify(await measured(process.argv[2] === 'tracked'))}\n`);
}
