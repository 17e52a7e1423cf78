import type { End } from '../../model/end.ts';
import { subject } from '../../model/record.ts';
import { type Ns, ns } from '../../model/units.ts';
import type { Timeline } from '../timeline.ts';

/** The steady part of a run, over which throughput and demands are taken. */
export interface SteadyPart {
  readonly from: Ns;
  readonly to: Ns;
  /** When the first element came to an end: threads had started and buffers were full by then. */
  readonly firstOutput: Ns | undefined;
}

/** Warm-up after the first output, while code is compiled: this long, or a quarter of the rest. Left out. */
const WARM_UP_NS = 1e9;
const WARM_UP_PART = 0.25;

/** The time after the sources have ended, while buffers drain, is left out if at least this part of the run remains. */
const LEAST_PART = 0.5;

/**
 * From the end of warm-up until the sources end, or until the last element came to one of the `ends`. `filled`: an operator
 * whose output is cached; the steady part then begins once that cache is full.
 */
export function steadyPart(
  timeline: Timeline,
  ends: readonly End[],
  sources: readonly string[],
  filled?: string,
): SteadyPart {
  const atEnds = (moment: 'first' | 'last'): number[] =>
    ends.flatMap(({ operator, counted }) =>
      timeline.lanes.flatMap(lane => lane[moment](subject.operator(operator), counted) ?? []),
    );
  const firsts = atEnds('first');
  const lasts = atEnds('last');
  if (firsts.length === 0) return { from: ns(0), to: ns(timeline.end), firstOutput: undefined };
  const first = firsts.reduce((least, moment) => Math.min(least, moment), Number.POSITIVE_INFINITY);
  const last = Math.min(timeline.end, latestOf(lasts));
  if (last <= first) return { from: ns(0), to: ns(timeline.end), firstOutput: ns(first) };
  const warm = first + Math.min(WARM_UP_NS, WARM_UP_PART * (last - first));
  const filling = timeline.lanes.flatMap(lane => lane.last(subject.operator(filled ?? ''), 'elementsOut') ?? []);
  if (filling.length > 0)
    return { from: ns(Math.min(last, Math.max(warm, ...filling))), to: ns(last), firstOutput: ns(first) };
  const from = warm;
  const sourceEnds = sources.flatMap(source =>
    timeline.lanes.flatMap(lane => lane.last(subject.operator(source), 'elementsOut') ?? []),
  );
  const supplied = Math.min(last, latestOf(sourceEnds));
  const to = supplied - from >= LEAST_PART * (last - from) ? supplied : last;
  return { from: ns(from), to: ns(to), firstOutput: ns(first) };
}

/** There may be as many as operators. */
const latestOf = (moments: readonly number[]): number => moments.reduce((last, moment) => Math.max(last, moment), 0);
