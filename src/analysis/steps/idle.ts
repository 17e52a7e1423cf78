import { DEPENDENCY_CAUSES, type StepTrace } from '../../model/step-trace.ts';
import { type Ns, ns } from '../../model/units.ts';
import { launchCalls } from './launches.ts';
import type { Spans } from './spans.ts';
import { OpKinds } from './work.ts';

/** Time between ops of a stream within steps, by what the next op waited for. */
export interface IdleRow {
  readonly stream: string;
  readonly busy: Ns;
  /** The next op was launched after the one before had ended. */
  readonly forLaunch: Ns;
  /** It was launched in time, and had to wait for another stream. */
  readonly forStream: Ns;
  /** It was launched in time, and waited for nothing that is known: the hand-over from one to the next. */
  readonly handOver: Ns;
}

const SYNC = DEPENDENCY_CAUSES.indexOf('sync');

/** Times between steps of a rank, which belong to none: as long as the program ran unrecorded between two cycles of its profiler. */
function pausesOf({ steps }: StepTrace, rank: number): Spans {
  const own = steps.filter(step => step.rank === rank);
  return own.slice(1).flatMap(({ start }, at) => {
    const before = own[at];
    const end = (before?.start ?? 0) + (before?.duration ?? 0);
    return start > end ? [{ start: end, end: start }] : [];
  });
}

/** Time of pauses, from the one at a position on, that lies between two moments. */
function pausedWithin(pauses: Spans, from: number, start: number, end: number): number {
  let paused = 0;
  for (let at = from; (pauses[at]?.start ?? Number.POSITIVE_INFINITY) < end; at++) {
    const { start: pausedFrom = end, end: pausedTo = end } = pauses[at] ?? {};
    paused += Math.min(end, pausedTo) - Math.max(start, pausedFrom);
  }
  return paused;
}

/** Streams of a rank, the busiest first. */
export function idleRows(trace: StepTrace, rank: number): readonly IdleRow[] {
  const { ops, resources, dependencies } = trace;
  const kinds = new OpKinds(trace);
  const calls = launchCalls(trace);
  const waits = new Uint8Array(ops.count);
  for (let at = 0; at < dependencies.count; at++) {
    if (dependencies.cause[at] === SYNC) waits[dependencies.to[at] ?? 0] = 1;
  }
  const pauses = pausesOf(trace, rank);
  const rows = resources.map(() => ({
    ...{ busy: 0, forLaunch: 0, forStream: 0, handOver: 0, end: Number.NaN },
    ...{ pause: 0 },
  }));
  for (let op = 0; op < ops.count; op++) {
    if (kinds.rank(op) !== rank || kinds.resource(op) !== 'device' || (ops.step[op] ?? -1) < 0) continue;
    const row = rows[ops.resource[op] ?? 0];
    if (row === undefined) continue;
    const start = ops.start[op] ?? 0;
    while ((pauses[row.pause]?.end ?? Number.POSITIVE_INFINITY) <= row.end) row.pause++;
    const gap = start > row.end ? start - row.end - pausedWithin(pauses, row.pause, row.end, start) : 0;
    const call = calls[op] ?? -1;
    const launchedAt = call < 0 ? Number.NEGATIVE_INFINITY : (ops.start[call] ?? 0);
    if (gap > 0) {
      if (launchedAt >= row.end) row.forLaunch += gap;
      else if (waits[op] === 1) row.forStream += gap;
      else row.handOver += gap;
    }
    row.busy += ops.duration[op] ?? 0;
    row.end = Math.max(Number.isNaN(row.end) ? start : row.end, start + (ops.duration[op] ?? 0));
  }
  return rows
    .map(({ busy, forLaunch, forStream, handOver }, at) => ({
      stream: resources[at]?.name ?? '',
      busy: ns(busy),
      forLaunch: ns(forLaunch),
      forStream: ns(forStream),
      handOver: ns(handOver),
    }))
    .filter(({ busy }) => busy > 0)
    .sort((a, b) => b.busy - a.busy);
}
