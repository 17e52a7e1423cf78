/**
 * Two ways to make the same batches: each is tuned for a few seconds, and the faster one goes on with its plan. Which one that is depends on
 * the cores and the memory: decoded images can be kept, cropped ones cannot.
 *
 *     npx tsx examples/fastest-images.ts
 */
import { optimize } from 'venturi';
import apart from './pipelines/images.ts';
import fused from './pipelines/images-fused.ts';

const images = await optimize(apart, { pickBest: [fused], epochs: 20, seconds: 4 });
const { before, plan } = images.tuning;
process.stdout.write(`${before.measured.estimate.toFixed(1)} batches/s as it is; ${plan.changes.length} changes\n`);

const run = images.run({ epochs: 20 });
await run.drain();
const { elements, seconds } = await run.finished;
process.stdout.write(`${(elements / seconds).toFixed(1)} batches/s over 20 epochs, from ${plan.pipeline.path}\n`);
