import { mean } from '../../math/statistics.ts';
import type { StepTrace } from '../../model/step-trace.ts';
import { type Ns, ns } from '../../model/units.ts';
import { OpKinds } from './work.ts';

/** From two steps one difference is had, which proves little. */
const ENOUGH_STEPS = 3;

/**
 * Time of a step as a rank's device has it. Marks of steps are the host's: while its queue fills, the host is through with steps faster than the device. From the first step to the
 * last, the mean mark and how much later per step the device ended the work of it than the mark. Undefined without a device, or where a step has no work for it.
 */
export function devicePace(trace: StepTrace, rank: number): Ns | undefined {
  const kinds = new OpKinds(trace);
  const { ops } = trace;
  const ended = new Float64Array(trace.steps.length).fill(Number.NEGATIVE_INFINITY);
  for (let op = 0; op < ops.count; op++) {
    const step = ops.step[op] ?? -1;
    if (step < 0 || kinds.rank(op) !== rank || kinds.resource(op) !== 'device' || kinds.work(op) === 'annotation')
      continue;
    ended[step] = Math.max(ended[step] ?? 0, (ops.start[op] ?? 0) + (ops.duration[op] ?? 0));
  }
  const own = [...trace.steps.entries()].filter(([, step]) => step.rank === rank);
  if (own.length < ENOUGH_STEPS) return undefined;
  const late = own.map(([at, { start, duration }]) => (ended[at] ?? 0) - (start + duration));
  if (!late.every(Number.isFinite)) return undefined;
  const growth = ((late.at(-1) ?? 0) - (late[0] ?? 0)) / (own.length - 1);
  return ns(Math.max(0, mean(own.slice(1).map(([, { duration }]) => duration)) + growth));
}
