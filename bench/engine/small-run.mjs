/** `node small-run.mjs COUNT [FOLDER]`: the small-element pipeline, in a worker, recorded into FOLDER if there is one. */
import { summing } from './small-work.mjs';

const [count, folder] = [Number(process.argv[2]), process.argv[3]];
let run;
const { take, result } = summing(count, () => run.progress().operators[0].elementsOut);

if (folder === undefined) {
  const { default: small } = await import('./small.mjs');
  run = small.run({ params: { count } });
} else {
  const { recordRun } = await import('venturi/record');
  const { default: small } = await import('./small.mjs');
  run = recordRun(folder, small, { params: { count } });
}
await consume();

const { channels, stages } = run.graph;
if (channels.length < 1 || stages.some(({ parallelism }) => parallelism < 1)) {
  throw new Error('the pipeline ran on the calling thread');
}
process.stdout.write(`${JSON.stringify(result())}\n`);

/** A function of its own, as on the peers' side: at the top of the module V8 would compile the whole script with the loop. */
async function consume() {
  for await (const batch of run) take(batch);
}
