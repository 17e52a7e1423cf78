import { groupedBy } from '../../math/groups.ts';
import type { StepTrace, TrainingStep } from '../../model/step-trace.ts';
import { type Ns, ns } from '../../model/units.ts';
import { collectiveCalls, computedBy } from './collective-calls.ts';
import { lengthWithin, type Spans, spansOf, union, without } from './spans.ts';
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

/** Breakdowns of the steps of each rank. Where a rank has no device, operators on the host are its computation. */
export function breakdowns(trace: StepTrace): readonly (readonly StepBreakdown[])[] {
  const kinds = new OpKinds(trace);
  const calls = collectiveCalls(trace, kinds);
  const opsOf = trace.ranks.map((): number[] => []);
  for (let op = 0; op < trace.ops.count; op++) opsOf[kinds.rank(op)]?.push(op);
  const stepsOf = trace.ranks.map((): TrainingStep[] => []);
  for (const step of trace.steps) stepsOf[step.rank]?.push(step);
  const withDevice = new Set(trace.resources.flatMap(({ kind, rank }) => (kind === 'device' ? [rank] : [])));
  return trace.ranks.map((_, rank) =>
    rankBreakdowns(trace, kinds, {
      ops: opsOf[rank] ?? [],
      steps: stepsOf[rank] ?? [],
      hasDevice: withDevice.has(rank),
      calls,
    }),
  );
}

interface RankParts {
  readonly ops: readonly number[];
  readonly steps: readonly TrainingStep[];
  readonly hasDevice: boolean;
  /** Operators that ask threads of the host for collectives. */
  readonly calls: ReadonlySet<number>;
}

function rankBreakdowns(
  trace: StepTrace,
  kinds: OpKinds,
  { ops, steps, hasDevice, calls }: RankParts,
): readonly StepBreakdown[] {
  const isComputing = (op: number): boolean => {
    const work = kinds.work(op);
    if (hasDevice) return kinds.resource(op) === 'device' && work === 'compute';
    return work === 'operator' || work === 'compute' || (work === 'other' && kinds.resource(op) !== 'host');
  };
  const communicating = spansOf(
    trace,
    ops.filter(op => kinds.work(op) === 'communication'),
  );
  const threads = groupedBy(ops.filter(isComputing), op => trace.ops.resource[op] ?? 0);
  const compute = union([...threads.values()].map(own => computedBy(trace, own, calls, communicating)));
  const copying = spansOf(
    trace,
    ops.filter(op => kinds.work(op) === 'copy'),
  );
  const loading = spansOf(
    trace,
    ops.filter(op => kinds.work(op) === 'input'),
  );
  // Operators of a batch that the training thread prepares itself are no computation of the step.
  const computed = hasDevice ? compute : without(compute, loading);
  const communication = without(communicating, computed);
  const copy = without(copying, computed, communicating);
  const input = without(loading, computed, communicating, copying);
  return steps.map(({ start, duration }) => {
    const within = (spans: Spans): Ns => ns(lengthWithin(spans, start, start + duration));
    const parts = {
      compute: within(computed),
      communication: within(communication),
      copy: within(copy),
      input: within(input),
    };
    const told = parts.compute + parts.communication + parts.copy + parts.input;
    return {
      duration: ns(duration),
      ...parts,
      host: ns(Math.max(0, duration - told)),
      communicating: within(communicating),
      loading: within(loading),
    };
  });
}
