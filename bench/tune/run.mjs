/**
 * `node run.mjs JSON`: one pipeline with one set of changes, in a process of its own; prints one line of JSON. The steady rate is taken
 * over `seconds`, from `warm` seconds after the end of the first epoch, in which caches are filled: so that V8 has compiled as much of what comes
 * behind a cache whether that took long or not; `first` is the rate of that epoch, from its first elements on. Without
 * `seconds`, one epoch is run and counted. With `record` it is recorded there.
 */

import { loadPipeline } from 'venturi/engine';
import { recordRun } from 'venturi/record';
import { cpuSeconds } from '../harness.mjs';

/** How often it looks: rarely while it is recorded, since looking is work of the program too. */
const LOOK_MS = { measured: 3, recorded: 50 };

const request = JSON.parse(process.argv[2]);
const { file, params, actions = [], root, perEpoch, warm, seconds, record } = request;
const { definition, dispose } = await loadPipeline(file);
const epochs = seconds === undefined ? 1 : 1_000_000;
const options = { params, epochs, plan: { shape: undefined, actions } };
const run = record === undefined ? definition.run(options) : recordRun(record, definition, options);
const began = performance.now();
const drained = run.drain();
const result = seconds === undefined ? drained.then(() => ({ perEpoch: count() })) : Promise.race([watched(), drained]);
process.stdout.write(`${JSON.stringify({ ...(await result), graph: run.graph })}\n`);
await run.stop();
await dispose();

function count() {
  const { elements, operators } = run.progress();
  return root === undefined ? elements : operators.find(({ id }) => id === root).elementsIn;
}

/** Looks often, and notes the moments at which elements have come. */
function watched() {
  return new Promise(resolve => {
    let begin;
    let first;
    let from;
    let before = 0;
    const look = () => {
      const elements = count();
      if (elements === before) return;
      before = elements;
      const now = { elements, wall: performance.now() - began, cpu: cpuSeconds() };
      begin ??= now;
      if (elements >= perEpoch) first ??= now;
      if (first !== undefined && now.wall >= first.wall + warm * 1000) from ??= now;
      if (from === undefined || now.wall - from.wall < seconds * 1000) return;
      clearInterval(timer);
      const passed = now.elements - from.elements;
      resolve({
        rate: (1000 * passed) / (now.wall - from.wall),
        cpu: (now.cpu - from.cpu) / passed,
        first: (1000 * (first.elements - begin.elements)) / (first.wall - begin.wall),
      });
    };
    const timer = setInterval(look, record === undefined ? LOOK_MS.measured : LOOK_MS.recorded);
  });
}
