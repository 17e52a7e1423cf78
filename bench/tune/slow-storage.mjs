/** Storage of 20 MB/s and 10 ms: what the first epoch could be at most, and whether the later ones still feel it. */

import { predict } from 'venturi';
import { median, medianInterval } from '../harness.mjs';
import { describe, heuristic, NAIVE } from './changes.mjs';
import { example } from './examples.mjs';
import { Measured } from './measure.mjs';
import { over } from './ratios.mjs';

const BYTES_PER_SECOND = 20e6;
/** Enough that what is under way when the first batch arrives does not count. */
const IMAGES = 480;

export async function slowStorage(report, { cores, rounds, ...options }) {
  const slow = await new Measured(example('slow-storage', { images: IMAGES }), options).prepare();
  const local = await new Measured(example('slow-storage', { images: IMAGES, bandwidth: 0 }), options).prepare();
  const disk = { points: [{ readers: 1, bytesPerSecond: BYTES_PER_SECOND }], cold: true };
  const { ceiling } = await predict(await local.record(NAIVE, 'local'), { disk });
  const most = ceiling.rate.estimate;
  const tuned = await slow.tune();
  const inMemory = await local.tune();
  const runs = {
    tuned: () => slow.once(tuned.actions),
    memory: () => local.once(inMemory.actions),
    naive: () => slow.once(NAIVE),
    heuristic: () => slow.once(heuristic(slow.graph, cores)),
  };
  const results = Object.fromEntries(Object.keys(runs).map(name => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (const [name, run] of Object.entries(runs)) results[name].push(await run());
  }
  const rates = name => results[name].map(({ rate }) => rate);
  const plan = describe(tuned.actions);
  report({
    case: 'slow-storage/steady-vs-memory',
    ...over(rates('tuned'), rates('memory')),
    unit: 'x rate',
    tunedRate: median(rates('tuned')),
    memoryRate: median(rates('memory')),
    plan,
    memoryPlan: describe(inMemory.actions),
    goal: '>= 0.9',
  });
  report({
    case: 'slow-storage/first-epoch-vs-ceiling',
    ...medianInterval(results.tuned.map(({ first }) => first / most)),
    unit: 'of ceiling',
    ceiling: most,
    binding: ceiling.binding.kind,
    plan,
    goal: '>= 0.9',
  });
  for (const other of ['naive', 'heuristic']) {
    report({
      case: `slow-storage/vs-${other}`,
      ...over(rates('tuned'), rates(other)),
      unit: 'x rate',
      firstEpoch: median(results.tuned.map(({ first }, round) => first / results[other][round].first)),
      otherRate: median(rates(other)),
    });
  }
}
