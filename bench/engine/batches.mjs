/** Consumes a pipeline's batches and measures it between the first and the last of them. */
import { recorded, recordedByWatch } from './recorded.mjs';
import { reading } from './small-work.mjs';

/**
 * `count` elements in batches of `batch` are expected. `operator` is the one that does the work: what has left it when
 * the first batch arrives, by `each`, was paid for before. `sum` is what the consumer does with a batch, and a check on the result. With
 * `watch`, the events of the recording are timed.
 */
export async function batches({ definition, options, folder, count, batch, operator, each = 1, sum, watch = false }) {
  const began = reading();
  const { run, events } = await started(definition, options, folder, watch);
  const passed = () => each * run.progress().operators.find(({ id }) => id === operator).elementsOut;
  let taken = 0;
  let total = 0;
  let first;
  let last;
  for await (const whole of run) {
    total += sum(whole);
    last = reading();
    if (++taken === 1) first = { left: count - passed(), ...last };
  }
  const end = reading();
  if (taken !== Math.ceil(count / batch)) throw new Error(`${count} elements came in ${taken} batches`);
  return {
    cpu: (last.cpu - first.cpu) / first.left,
    wall: (last.wall - first.wall) / first.left,
    totalCpu: (end.cpu - began.cpu) / count,
    totalWall: (end.wall - began.wall) / count,
    sum: total,
    ...(events !== undefined && { events: events() }),
  };
}

async function started(definition, options, folder, watch) {
  if (folder === undefined) return { run: definition.run(options) };
  if (watch) return recordedByWatch(folder, definition, options);
  return { run: await recorded(folder, definition, options) };
}
