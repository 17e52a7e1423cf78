/**
 * `node large-run.mjs COUNT BUDGET`: how far the memory of the process rises above what it is with all threads up, their
 * code loaded and a handful of elements through. The source rests at that point; the baseline is read while it does.
 */
import { peakMemory } from '../harness.mjs';
import large, { ELEMENT_BYTES, REST_BEFORE, REST_MS } from './large.mjs';
import { reading } from './small-work.mjs';

const [count, budget] = [Number(process.argv[2]), Number(process.argv[3])];

const POLL_MS = 5;
let lastElement = 0;
let elements = 0;
let baseline;
let peak = 0;
const poll = setInterval(() => {
  const resident = process.memoryUsage.rss();
  const resting = elements > 0 && elements <= REST_BEFORE && performance.now() - lastElement > REST_MS / 2;
  if (resting) baseline = resident;
  peak = Math.max(peak, resident);
}, POLL_MS);

const began = reading();
let sum = 0;
for await (const bytes of large.run({ params: { count }, memory: budget })) {
  if (bytes.length !== ELEMENT_BYTES) throw new Error(`an element has ${bytes.length} bytes`);
  sum += bytes[0];
  elements++;
  lastElement = performance.now();
}
const end = reading();
clearInterval(poll);

const expected = Array.from({ length: count }, (_, index) => ((index & 255) + 1) & 255).reduce((a, b) => a + b, 0);
if (elements !== count || sum !== expected) throw new Error(`${count} elements were expected, ${elements} came`);
if (baseline === undefined) throw new Error('the pipeline was never seen at rest');
process.stdout.write(
  `${JSON.stringify({ baseline, peak: Math.max(peak, peakMemory()), cpu: end.cpu - began.cpu, wall: end.wall - began.wall })}\n`,
);
