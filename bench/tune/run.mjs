/**
 * `node run.mjs JSON`: one pipeline with one set of changes, in a process of its own; prints one line of JSON, with its steady rate
 * (`steady.mjs`). Without `seconds`, one epoch is run and counted. With `record` it is recorded there.
 */

import { loadPipeline } from 'venturi/engine';
import { recordRun } from 'venturi/record';
import { steady } from './steady.mjs';

const request = JSON.parse(process.argv[2]);
const { file, params, actions = [], root, perEpoch, warm, seconds, record } = request;
const { definition, dispose } = await loadPipeline(file);
const epochs = seconds === undefined ? 1 : 1_000_000;
const options = { params, epochs, plan: { shape: undefined, actions } };
const run = record === undefined ? definition.run(options) : recordRun(record, definition, options);
const began = performance.now();
const drained = run.drain();
const watched = { began, perEpoch, warm, seconds, isRecorded: record !== undefined };
const result =
  seconds === undefined ? drained.then(() => ({ perEpoch: count() })) : Promise.race([steady(count, watched), drained]);
process.stdout.write(`${JSON.stringify({ ...(await result), graph: run.graph })}\n`);
await run.stop();
await dispose();

function count() {
  const { elements, operators } = run.progress();
  return root === undefined ? elements : operators.find(({ id }) => id === root).elementsIn;
}
