/** `node overlap-run.mjs KIND PART PATH COUNT`: wall seconds from the first element to the last. */
import overlap from './overlap.mjs';

const [kind, part, path, count] = process.argv.slice(2);
let first;
let elements = 0;
for await (const _ of overlap.run({ params: { kind, part, path, count: Number(count) }, memory: 64e6 })) {
  first ??= performance.now();
  elements++;
}
if (elements !== Number(count)) throw new Error(`${elements} elements came, not ${count}`);
process.stdout.write(`${JSON.stringify({ wall: (performance.now() - first) / 1e3 })}\n`);
