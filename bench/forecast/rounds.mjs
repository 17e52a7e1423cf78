/**
 * `node rounds.mjs JSON`: a drawn pipeline in a process of its own. It is recorded once, with the changes `asRecorded`; then, round by round, it is
 * measured as it was recorded and in each of its ways. Prints one line of JSON: rates by round, of each way and of the recorded arrangement.
 */
import { loadPipeline } from 'venturi/engine';
import { recordRun } from 'venturi/record';
import { steady } from '../tune/steady.mjs';

const { file, spec, ways, asRecorded, record, rounds, recordedSeconds, seconds, warm } = JSON.parse(process.argv[2]);
const { definition, dispose } = await loadPipeline(file);
const { elements } = spec;
const EPOCHS = 1_000_000;
/** One that ends in itself goes through its elements again and again, and a cache is filled in the first pass. */
const perEpoch = elements < EPOCHS ? elements : 1;

async function measured(actions, { folder } = {}) {
  const options = { params: { spec: JSON.stringify(spec) }, epochs: EPOCHS, plan: { shape: undefined, actions } };
  const began = performance.now();
  const run = folder === undefined ? definition.run(options) : recordRun(folder, definition, options);
  const drained = run.drain();
  const watched =
    folder === undefined
      ? { began, perEpoch, warm, seconds }
      : { began, perEpoch: 1, warm: 0, seconds: recordedSeconds, isRecorded: true };
  const { rate } = await Promise.race([steady(() => run.progress().elements, watched), drained]);
  await run.stop();
  return rate;
}

await measured(asRecorded, { folder: record });
const rates = [];
for (let round = 0; round < rounds; round++) {
  const asItIs = await measured(asRecorded);
  const arranged = [];
  for (const { actions } of ways) arranged.push(await measured(actions).catch(error => ({ error: String(error) })));
  rates.push({ asItIs, arranged });
}
process.stdout.write(`${JSON.stringify({ rates })}\n`);
await dispose();
