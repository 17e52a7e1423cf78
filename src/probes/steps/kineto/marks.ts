import { entryOf } from '../../../math/groups.ts';
import { VenturiError } from '../../../model/errors.ts';
import { CATEGORY } from './category.ts';
import { endOf, isOnHost, nameOf, occupiesThread, type RawEvents } from './raw-events.ts';

/** Events that mark steps. */
export interface Marks {
  /** In order of time; empty where the trace has none, and is taken as one step. */
  readonly events: readonly number[];
  /** The thread that trains: that of the marks, or the one with the most operators. */
  readonly track: number;
}

const PROFILER_STEP = /^ProfilerStep#\d+$/;

/** Steps as the profiler marks them, or by annotations of another name. */
export function findMarks(raw: RawEvents, marker: string | undefined, path: string): Marks {
  const isMark = raw.names.map(name => (marker === undefined ? PROFILER_STEP.test(name) : isNamed(name, marker)));
  const byTrack = new Map<number, number[]>();
  const operators = new Map<number, number>();
  for (const event of raw.order) {
    if (!isOnHost(raw, event)) continue;
    const track = raw.track[event] as number;
    if (raw.category[event] !== CATEGORY.annotation) operators.set(track, (operators.get(track) ?? 0) + 1);
    if (!isMark[raw.name[event] as number]) continue;
    const marks = entryOf(byTrack, track, () => []);
    const last = marks.at(-1);
    // Of marks inside each other the outer one counts.
    if (last === undefined || (raw.start[event] as number) >= endOf(raw, last)) marks.push(event);
  }
  const most = [...byTrack].sort(([, a], [, b]) => b.length - a.length)[0];
  if (most !== undefined) return { track: most[0], events: withWork(raw, most[0], most[1]) };
  if (marker !== undefined) throw noMark(raw, marker, path);
  const busiest = [...operators].sort(([, a], [, b]) => b - a)[0];
  return { track: busiest?.[0] ?? -1, events: [] };
}

/** Without the marks that hold nothing: the profiler opens one more when it ends. All of them where none holds anything. */
function withWork(raw: RawEvents, track: number, marks: readonly number[]): readonly number[] {
  const isMark = new Set(marks);
  const held = new Set<number>();
  let at = 0;
  for (const event of raw.order) {
    if (raw.track[event] !== track || isMark.has(event) || !isOnHost(raw, event)) continue;
    while (at < marks.length && endOf(raw, marks[at] as number) <= (raw.start[event] as number)) at++;
    const mark = marks[at];
    if (mark !== undefined && (raw.start[mark] as number) <= (raw.start[event] as number)) held.add(mark);
  }
  return held.size === 0 ? marks : marks.filter(mark => held.has(mark));
}

/** What stands between a name and its number. */
const SEPARATOR = /[#\s:/_-]/;
const NUMBER = new RegExp(`^${SEPARATOR.source}*\\d+$`);

/** `--step-marker iteration` also stands for `iteration#12` and `iteration 12`. */
const isNamed = (name: string, marker: string): boolean =>
  name === marker || (name.startsWith(marker) && NUMBER.test(name.slice(marker.length)));

function noMark(raw: RawEvents, marker: string, path: string): VenturiError {
  const candidates = stepCandidates(raw);
  return new VenturiError('VENTURI_STEPS_NONE', `${path} has no annotation ${marker}.`, {
    remedy:
      candidates.length === 0
        ? 'Leave --step-marker out: without it the whole trace is one step.'
        : `Annotations that recur in it: ${candidates.join(', ')}.`,
  });
}

const MOST_CANDIDATES = 5;
/** A longer name nobody would type. */
const LONGEST_CANDIDATE = 80;

/** A name, and how often and how long there is something of it. */
interface Named {
  count: number;
  time: number;
}

/**
 * What `--step-marker` could name: annotations that recur under one name, or under names that differ in their last number. Those that take the most time come first, as steps
 * hold everything else; those that are work of their thread, as the waiting for a batch, are part of a step.
 */
export function stepCandidates(raw: RawEvents): readonly string[] {
  const named = new Map<string, Named>();
  const add = (name: string, count: number, time: number): void => {
    const all = named.get(name) ?? { count: 0, time: 0 };
    named.set(name, { count: all.count + count, time: all.time + time });
  };
  for (let event = 0; event < raw.count; event++) {
    if (raw.category[event] !== CATEGORY.annotation || occupiesThread(raw, event)) continue;
    add(nameOf(raw, event), 1, raw.duration[event] as number);
  }
  for (const [name, { count, time }] of [...named]) {
    const series = count === 1 ? seriesOf(name) : '';
    if (series !== '') add(series, count, time);
  }
  return [...named]
    .filter(([name, { count }]) => count > 1 && name.length <= LONGEST_CANDIDATE)
    .sort(([, a], [, b]) => b.time - a.time || a.count - b.count)
    .slice(0, MOST_CANDIDATES)
    .map(([name]) => name);
}

/** A name without the number that ends it: `iteration` of `iteration#12` and `iteration 12`; empty where none ends it. */
function seriesOf(name: string): string {
  let end = name.length;
  while (end > 0 && /\d/.test(name.charAt(end - 1))) end--;
  if (end === name.length) return '';
  while (end > 0 && SEPARATOR.test(name.charAt(end - 1))) end--;
  return name.slice(0, end);
}

/** The number in the name of a mark; its position where there is none. */
export const stepNumber = (name: string, at: number): number => Number(/(\d{1,9})$/.exec(name)?.[1] ?? at);
