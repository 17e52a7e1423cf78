/** `node paths.mjs FOLDER COUNT`: a pattern over very many files: when the first comes, what all cost, and the memory. */
import { fileURLToPath } from 'node:url';
import { glob, pipeline } from 'venturi/engine';
import { cpuSeconds } from '../harness.mjs';

const paths = pipeline(import.meta, { folder: String }, ({ folder }) =>
  glob(`${folder}/**/*.bin`)
    .map(({ path }) => path.length)
    .batch(100),
);
export default paths;

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [folder, count] = [process.argv[2], Number(process.argv[3])];
  let peak = 0;
  let elements = 0;
  let first;
  const began = { cpu: cpuSeconds(), wall: performance.now() };
  for await (const batch of paths.run({ params: { folder }, memory: 64e6 })) {
    elements += batch.length;
    const resident = process.memoryUsage.rss();
    first ??= { resident, cpu: cpuSeconds() - began.cpu, wall: (performance.now() - began.wall) / 1e3 };
    peak = Math.max(peak, resident);
  }
  if (elements !== count) throw new Error(`${elements} paths came, not ${count}`);
  const cpu = cpuSeconds() - began.cpu;
  process.stdout.write(`${JSON.stringify({ first, grown: peak - first.resident, cpu })}\n`);
}
