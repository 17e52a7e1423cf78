/**
 * `node engine-run.mjs JSON`: the pipeline on the engine, every cache line of every batch read on the main thread; prints its rate. The loop keeps
 * no batch, so that it may `borrow` them where they lie; with `copy` each is its own. `actions`: changes of a plan.
 */
import { Pace, paceOf } from './pace.mjs';
import images, { imagesOf } from './pipeline.mjs';
import { touched } from './work.mjs';

const { folder, lanes, seconds, way, memory, copy = false, actions = [] } = JSON.parse(process.argv[2]);
const pace = new Pace(paceOf({ lanes, seconds }));
let sum = 0;
const plan = { shape: undefined, actions };
const run = images.run({ params: { folder, lanes, way }, epochs: 1_000_000, memory, borrow: !copy, plan });
for await (const batch of run) {
  for (const floats of imagesOf(batch)) sum += touched(floats);
  if (pace.count()) break;
}
process.stdout.write(`${JSON.stringify({ ...pace.figures, sum })}\n`);
// The run has been stopped; threads that are slow to end are not waited for.
process.exit(0);
