import type { StepTrace } from '../../model/step-trace.ts';
import { type Ns, ns } from '../../model/units.ts';
import { lengthOf, overlap, type Spans, spansOf, without } from './spans.ts';
import { OpKinds } from './work.ts';

/**
 * Time of a step by what it is spent on. Each moment counts once: for computation while some runs, else for communication, else for a copy; while
 * the device has nothing to do, for the input if the training thread waits for a batch, else for the host.
 */
export interface StepBreakdown {
  readonly duration: Ns;
  readonly compute: Ns;
  /** Communication that no computation hides. */
  readonly communication: Ns;
  /** Copies that nothing else hides. */
  readonly copy: Ns;
  readonly input: Ns;
  /** The device is idle, and the host not in the input: it launches, or does something else. */
  readonly host: Ns;
  /** All communication, hidden or not. */
  readonly communicating: Ns;
  /** All the time that the training thread is in the input, the device idle or not. */
  readonly loading: Ns;
}

export const PARTS = ['compute', 'communication', 'copy', 'input', 'host'] as const;
export type Part = (typeof PARTS)[number];

/** Breakdowns of the steps of a rank. Where a rank has no device, operators on the host are its computation. */
export function breakdowns(trace: StepTrace, rank: number): readonly StepBreakdown[] {
  const kinds = new OpKinds(trace);
  const hasDevice = trace.resources.some(resource => resource.kind === 'device' && resource.rank === rank);
  const isOf = (op: number): boolean => kinds.rank(op) === rank;
  const isComputing = (op: number): boolean => {
    const work = kinds.work(op);
    if (hasDevice) return kinds.resource(op) === 'device' && work === 'compute';
    return work === 'operator' || work === 'compute' || (work === 'other' && kinds.resource(op) !== 'host');
  };
  const compute = spansOf(trace, op => isOf(op) && isComputing(op));
  const communicating = spansOf(trace, op => isOf(op) && kinds.work(op) === 'communication');
  const copying = spansOf(trace, op => isOf(op) && kinds.work(op) === 'copy');
  const loading = spansOf(trace, op => isOf(op) && kinds.work(op) === 'input');
  // Operators of a batch that the training thread prepares itself are no computation of the step.
  const computed = hasDevice ? compute : without(compute, loading);
  const communication = without(communicating, computed);
  const copy = without(copying, computed, communicating);
  const input = without(loading, computed, communicating, copying);
  const within = (spans: Spans, window: Spans): Ns => ns(lengthOf(overlap(spans, window)));
  return trace.steps
    .filter(step => step.rank === rank)
    .map(({ start, duration }) => {
      const window = [{ start, end: start + duration }];
      const parts = {
        compute: within(computed, window),
        communication: within(communication, window),
        copy: within(copy, window),
        input: within(input, window),
      };
      const told = parts.compute + parts.communication + parts.copy + parts.input;
      return {
        duration: ns(duration),
        ...parts,
        host: ns(Math.max(0, duration - told)),
        communicating: within(communicating, window),
        loading: within(loading, window),
      };
    });
}
