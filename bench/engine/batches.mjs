/** Consumes a pipeline's batches and measures it between the first and the last of them. */
import { reading } from './small-work.mjs';

/**
 * `count` elements in batches of `batch` are expected. `operator` is the one that does the work: what has left it when
 * the first batch arrives was paid for before. `sum` is what the consumer does with a batch, and a check on the result.
 */
export async function batches({ definition, options, folder, count, batch, operator, sum }) {
  const began = reading();
  const run = folder === undefined ? definition.run(options) : await recorded(folder, definition, options);
  const passed = () =>
    run.progress().operators.find(({ id }) => id === operator).elementsOut * (run.graph.perElement ?? 1);
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
    sum: total,
  };
}

async function recorded(folder, definition, options) {
  const { recordRun } = await import('venturi');
  return recordRun(folder, definition, options);
}
