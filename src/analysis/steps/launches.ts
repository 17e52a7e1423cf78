import { quantile } from '../../math/statistics.ts';
import { DEPENDENCY_CAUSES, type StepTrace } from '../../model/step-trace.ts';
import { type Ns, ns, type Share, share } from '../../model/units.ts';
import { OpKinds } from './work.ts';

export interface Quantiles {
  readonly p50: Ns;
  readonly p90: Ns;
  readonly most: Ns;
}

/** Launches of a rank's work on devices, and the queue between host and device. */
export interface LaunchSummary {
  readonly count: number;
  /** Of the calls on the host. */
  readonly call: Quantiles;
  /** From a call's start to the start of its work: waiting in the queue and for other streams included. */
  readonly delay: Quantiles;
  /** Kernels that took less time than the call that launched them. */
  readonly shorterThanCall: Share;
  /** Launched and not yet ended, over the time of steps. */
  readonly queueMean: number;
  readonly queueMost: number;
  /** Time of steps in which nothing was launched and not ended. */
  readonly queueEmpty: Share;
}

const LAUNCH = DEPENDENCY_CAUSES.indexOf('launch');

/** The call that launched each op; -1 where none did. */
export function launchCalls({ ops, dependencies }: StepTrace): Int32Array {
  const calls = new Int32Array(ops.count).fill(-1);
  for (let at = 0; at < dependencies.count; at++) {
    if (dependencies.cause[at] === LAUNCH) calls[dependencies.to[at] ?? 0] = dependencies.from[at] ?? -1;
  }
  return calls;
}

/** Undefined where nothing is launched, as without a device: threads of gloo are asked, but have no such queue. */
export function launchSummary(trace: StepTrace, rank: number): LaunchSummary | undefined {
  const { ops } = trace;
  const kinds = new OpKinds(trace);
  const calls = launchCalls(trace);
  const isLaunched = (op: number): boolean => (calls[op] ?? -1) >= 0 && kinds.resource(op) === 'device';
  const launched = [...calls.keys()].filter(
    op => isLaunched(op) && kinds.rank(op) === rank && (ops.step[op] ?? -1) >= 0,
  );
  if (launched.length === 0) return undefined;
  const callOf = (op: number): number => calls[op] ?? 0;
  const durationOf = (op: number): number => ops.duration[op] ?? 0;
  const shorter = launched.filter(op => durationOf(op) < durationOf(callOf(op))).length;
  return {
    count: launched.length,
    call: quantiles(launched.map(op => durationOf(callOf(op)))),
    delay: quantiles(launched.map(op => (ops.start[op] ?? 0) - (ops.start[callOf(op)] ?? 0))),
    shorterThanCall: share(shorter / launched.length),
    ...queueOf(trace, rank, launched, callOf),
  };
}

function quantiles(values: readonly number[]): Quantiles {
  const sorted = [...values].sort((a, b) => a - b);
  return { p50: ns(quantile(sorted, 0.5)), p90: ns(quantile(sorted, 0.9)), most: ns(sorted.at(-1) ?? 0) };
}

/** Length of the queue over time: one more at each launch, one less at each end, within steps. */
function queueOf(
  { ops, steps }: StepTrace,
  rank: number,
  launched: readonly number[],
  callOf: (op: number) => number,
): Pick<LaunchSummary, 'queueMean' | 'queueMost' | 'queueEmpty'> {
  const events = launched.flatMap(op => [
    { at: ops.start[callOf(op)] ?? 0, change: 1 },
    { at: (ops.start[op] ?? 0) + (ops.duration[op] ?? 0), change: -1 },
  ]);
  const own = steps.filter(step => step.rank === rank);
  for (const { start, duration } of own) {
    for (const at of [start, start + duration]) events.push({ at, change: 0 });
  }
  events.sort((a, b) => a.at - b.at || b.change - a.change);
  let [length, most, area, empty, total, step] = [0, 0, 0, 0, 0, 0];
  let before = events[0]?.at ?? 0;
  for (const { at, change } of events) {
    while (step < own.length && before >= (own[step]?.start ?? 0) + (own[step]?.duration ?? 0)) step++;
    const isInside = step < own.length && before >= (own[step]?.start ?? 0);
    if (isInside) {
      total += at - before;
      area += length * (at - before);
      if (length === 0) empty += at - before;
    }
    length += change;
    most = Math.max(most, length);
    before = at;
  }
  const whole = Math.max(1, total);
  return { queueMean: area / whole, queueMost: most, queueEmpty: share(empty / whole) };
}
