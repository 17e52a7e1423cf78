/**
 * `node run.mjs SOURCE BUDGET PARAMS`: how far the memory of the process rises above what it is with all threads up, their
 * code loaded and next to nothing through, while a source is read to its end. The source rests at that point.
 */
import { cpuSeconds, peakMemory } from '../harness.mjs';
import sources, { REST_MS } from './pipeline.mjs';

const [source, budget, params] = [process.argv[2], Number(process.argv[3]), JSON.parse(process.argv[4])];

// Looking takes memory too: more often, and the pipeline would never be seen at rest.
const POLL_MS = 25;
const began = { cpu: cpuSeconds(), wall: performance.now() };
let peak = 0;
let baseline;
const run = sources.run({ params: { source, ...params }, memory: budget });
const resting = { since: performance.now(), resident: 0 };
const poll = setInterval(() => {
  const resident = process.memoryUsage.rss();
  peak = Math.max(peak, resident);
  if (baseline !== undefined) return;
  const [read] = run.progress().operators;
  // The first elements are read and the source sleeps: nothing moves.
  if (read.elementsOut === 0 || Math.abs(resident - resting.resident) > 100_000) {
    resting.since = performance.now();
    resting.resident = resident;
  } else if (performance.now() - resting.since > REST_MS / 6) baseline = resident;
}, POLL_MS);

let bytes = 0;
let elements = 0;
for await (const batch of run) {
  for (const weight of batch) bytes += weight;
  elements += batch.length;
}
clearInterval(poll);
if (baseline === undefined) throw new Error('the pipeline was never seen at rest');
process.stdout.write(
  `${JSON.stringify({ baseline, peak: Math.max(peak, peakMemory()), bytes, elements, cpu: cpuSeconds() - began.cpu, wall: (performance.now() - began.wall - REST_MS) / 1e3 })}\n`,
);
