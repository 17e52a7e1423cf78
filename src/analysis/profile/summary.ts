import type { LaneDictionary, RecordedProfile } from '../../model/profile.ts';
import { NS_PER_SECOND } from '../../model/units.ts';
import { type AttributedSample, attributedSamples, type ProfileRange } from './attributed-samples.ts';
import { type Band, including, SKID_NS, shareBand, widened } from './band.ts';
import { type BasicBlock, basicBlocks } from './basic-blocks.ts';
import { withInherited } from './inherited.ts';
import type { Owner, RuntimeOwner } from './owner.ts';
import { type PerfSummary, summarisePerf } from './perf-summary.ts';
import { type HotLine, hottestLines, loopsOf, type ProfiledLoop } from './profiled-lines.ts';
import { type CountedOperator, Sharing } from './sharing.ts';

export interface ProfileSummary {
  readonly profiler: string;
  /** Samples per second and lane. */
  readonly rateAsked: number;
  readonly rateHeld: number;
  readonly lanes: number;
  /** Of lanes at work; shares are parts of these. */
  readonly samples: number;
  /** Of lanes that waited. */
  readonly idle: number;
  /** Part of the samples whose owner is known: an operator, the engine, collection, compilation or native code. */
  readonly attributed: number;
  readonly inOperators: number;
  readonly operators: readonly ProfiledOperator[];
  /** The engine's tasks, and what is V8's. */
  readonly rest: readonly RestRow[];
  readonly shared: readonly SharedCode[];
  /** Lines that compute something for several operators: each has an equal part of their samples, which are its own in all of the above. */
  readonly joint: readonly SharedCode[];
  readonly hottest: readonly HotLine[];
  readonly blocks: readonly BasicBlock[];
  readonly loops: readonly ProfiledLoop[];
  readonly activity: Activity;
  /** Where Linux perf ran beside V8's profiler. */
  readonly perf?: PerfSummary;
}

export interface ProfiledOperator {
  readonly id: string;
  readonly label: string;
  /** File, without its folders, and line where it was written. */
  readonly source?: string;
  /** With its part of shared code, which may be a fraction. */
  readonly hits: number;
  readonly share: number;
  readonly band: Band;
  readonly rows: number | undefined;
  readonly nsPerRow: number | undefined;
  readonly tasks: readonly { readonly task: string; readonly hits: number }[];
  /** Samples by how their owner was found; `divided` are its part of shared code. */
  readonly by: { readonly line: number; readonly function: number; readonly stack: number; readonly divided: number };
}

export interface RestRow {
  readonly kind: 'engine' | Exclude<RuntimeOwner['kind'], 'idle'>;
  readonly task: string | undefined;
  readonly hits: number;
  readonly share: number;
}

export interface SharedCode {
  readonly operators: readonly string[];
  readonly hits: number;
  readonly share: number;
}

/** Shares over time: of the samples in a bin, by owner. */
export interface Activity {
  readonly fromNs: number;
  readonly binNs: number;
  readonly rows: readonly { readonly name: string; readonly shares: readonly number[] }[];
}

/** Bins of the activity over time, and the least samples that one should hold on average. */
const MOST_BINS = 60;
const LEAST_IN_BIN = 20;

/** All samples of lanes with their owners, those included that V8 counts on the line before; and how many there are per second and lane. */
export function ownedSamples(
  profile: RecordedProfile,
  counted: readonly CountedOperator[],
  start: number,
): { readonly rateHeld: number; readonly samples: readonly AttributedSample[] } {
  const found = [...attributedSamples(profile, { start })];
  const rateHeld = heldRate(found, profile);
  const rows = new Map(counted.map(each => [each.id, each.rows]));
  const nsPerSample = rateHeld > 0 ? NS_PER_SECOND / rateHeld : 0;
  return { rateHeld, samples: withInherited(found, id => rows.get(id) ?? 0, nsPerSample) };
}

/** Sums up who had the lanes, in a range of time. */
export function summariseProfile(
  profile: RecordedProfile,
  counted: readonly CountedOperator[],
  range: ProfileRange,
): ProfileSummary {
  const { rateHeld, samples: found } = ownedSamples(profile, counted, range.start);
  const nsPerSample = rateHeld > 0 ? NS_PER_SECOND / rateHeld : 0;
  const { from = 0, to = Number.POSITIVE_INFINITY } = range;
  const all = found.filter(({ time }) => time >= from && time < to);
  const samples = all.filter(({ owner }) => owner.kind !== 'idle');
  const busy = samples.length;
  const isWhole = range.from === undefined && range.to === undefined;
  const sharing = new Sharing(samples, counted);
  const operators = operatorRows(
    samples,
    sharing,
    counted,
    nsPerSample,
    isWhole,
    sourcesOf(profile.lanes, counted),
    queryRows(profile.lanes),
  );
  const loops = loopsOf(profile.lanes, samples);
  const outside = samples.filter(({ owner }) => owner.kind === 'outside').length;
  return {
    profiler: profile.facts.profiler,
    rateAsked: profile.facts.asked,
    rateHeld,
    lanes: profile.lanes.filter(({ isQuery }) => isQuery !== true).length,
    samples: busy,
    idle: all.length - busy,
    attributed: busy === 0 ? 0 : (busy - outside) / busy,
    inOperators: busy === 0 ? 0 : operators.reduce((sum, { hits }) => sum + hits, 0) / busy,
    operators,
    rest: restRows(samples),
    shared: sharing.groups.map(group => ({
      operators: group.operators,
      hits: group.hits,
      share: group.hits / busy,
    })),
    joint: jointLines(samples),
    hottest: hottestLines(loops, busy),
    blocks: basicBlocks(loops, busy),
    loops,
    activity: activityOf(sharing.given(samples), counted),
    ...(profile.perf === undefined ? {} : { perf: summarisePerf(profile.perf, profile, range) }),
  };
}

/** Samples per second and lane, over the time in which each was sampled. */
function heldRate(all: readonly AttributedSample[], { lanes }: RecordedProfile): number {
  let [seconds, count] = [0, 0];
  for (const tid of new Set(lanes.map(lane => lane.tid))) {
    const times = all.filter(({ lane }) => lane.tid === tid).map(({ time }) => time);
    if (times.length < 2) continue;
    seconds += ((times.at(-1) ?? 0) - (times[0] ?? 0)) / NS_PER_SECOND;
    count += times.length - 1;
  }
  return seconds > 0 ? count / seconds : 0;
}

interface Growing {
  readonly tasks: Map<string, number>;
  readonly by: { line: number; function: number; stack: number };
  hits: number;
}

function operatorRows(
  samples: readonly AttributedSample[],
  sharing: Sharing,
  counted: readonly CountedOperator[],
  nsPerSample: number,
  isWhole: boolean,
  sources: ReadonlyMap<string, string>,
  ofQueries: ReadonlyMap<string, number>,
): ProfiledOperator[] {
  const own = new Map<string, Growing>();
  const of = (id: string): Growing => {
    const known = own.get(id) ?? { tasks: new Map(), by: { line: 0, function: 0, stack: 0 }, hits: 0 };
    own.set(id, known);
    return known;
  };
  for (const { owner } of samples) {
    if (owner.kind !== 'operator') continue;
    const row = of(owner.operator);
    row.hits++;
    row.by[owner.by]++;
    row.tasks.set(owner.task, (row.tasks.get(owner.task) ?? 0) + 1);
  }
  const known = new Map(counted.map(each => [each.id, each]));
  const parts = sharing.groups.flatMap(group => group.parts);
  const ids = new Set([
    ...counted.map(({ id }) => id),
    ...own.keys(),
    ...parts.map(({ operator }) => operator),
    // Also where none was sampled: so many rows took next to no time.
    ...ofQueries.keys(),
  ]);
  const busy = samples.length;
  return [...ids]
    .map((id): ProfiledOperator => {
      const row = own.get(id) ?? { tasks: new Map<string, number>(), by: { line: 0, function: 0, stack: 0 }, hits: 0 };
      const divided = parts.filter(({ operator }) => operator === id);
      const sum = (column: 'hits' | 'low' | 'high'): number => divided.reduce((total, part) => total + part[column], 0);
      const hits = row.hits + sum('hits');
      const { label = id, rows = ofQueries.get(id), isFused = false } = known.get(id) ?? {};
      const skid = isFused && busy > 0 && nsPerSample > 0 ? (SKID_NS * (rows ?? 0)) / nsPerSample / busy : 0;
      const unsure = (column: 'low' | 'high'): number => (busy === 0 ? 0 : Math.abs(sum(column) - sum('hits')) / busy);
      const source = sources.get(id);
      return {
        id,
        label,
        ...(source === undefined ? {} : { source }),
        hits,
        share: busy === 0 ? 0 : hits / busy,
        band: including(
          widened(shareBand(hits, busy), skid + unsure('low'), skid + unsure('high')),
          isFused && isWhole && busy > 0 ? sharing.timedHits(id) / busy : undefined,
        ),
        rows: isWhole ? rows : undefined,
        nsPerRow: isWhole && rows !== undefined && rows > 0 ? (hits * nsPerSample) / rows : undefined,
        tasks: [...row.tasks].map(([task, count]) => ({ task, hits: count })).sort((a, b) => b.hits - a.hits),
        by: { ...row.by, divided: sum('hits') },
      };
    })
    .sort((a, b) => b.hits - a.hits);
}

/** Rows that entered operators of queries, over all lanes that ran them. */
function queryRows(lanes: readonly LaneDictionary[]): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const { operators, rows = [] } of lanes)
    for (const [at, operator] of operators.entries())
      if (rows[at] !== undefined) sums.set(operator, (sums.get(operator) ?? 0) + rows[at]);
  return sums;
}

/** Operators of queries have theirs in the dictionary, the others in the graph. */
function sourcesOf(lanes: readonly LaneDictionary[], counted: readonly CountedOperator[]): ReadonlyMap<string, string> {
  const ofQueries = lanes.flatMap(({ operators, sources = [] }) =>
    operators.flatMap((operator, at): [string, string][] => {
      const source = sources[at];
      return typeof source === 'string' ? [[operator, source]] : [];
    }),
  );
  const ofGraph = counted.flatMap(({ id, source }): [string, string][] => (source === undefined ? [] : [[id, source]]));
  return new Map([...ofQueries, ...ofGraph]);
}

function restRows(samples: readonly AttributedSample[]): RestRow[] {
  const hits = new Map<string, RestRow>();
  for (const { owner } of samples) {
    if (owner.kind === 'operator' || owner.kind === 'shared' || owner.kind === 'idle') continue;
    const task = owner.kind === 'engine' ? owner.task : undefined;
    const key = `${owner.kind} ${task ?? ''}`;
    const count = (hits.get(key)?.hits ?? 0) + 1;
    hits.set(key, { kind: owner.kind, task, hits: count, share: count / samples.length });
  }
  return [...hits.values()].sort((a, b) => b.hits - a.hits);
}

function jointLines(samples: readonly AttributedSample[]): SharedCode[] {
  const groups = new Map<string, SharedCode>();
  for (const { owner } of samples) {
    if (owner.kind !== 'operator' || owner.among === undefined) continue;
    const operators = owner.among.toSorted();
    const key = JSON.stringify(operators);
    const hits = (groups.get(key)?.hits ?? 0) + 1;
    groups.set(key, { operators, hits, share: hits / samples.length });
  }
  return [...groups.values()].sort((a, b) => b.hits - a.hits);
}

/** Names of the rows beside operators. */
const ACTIVITY_OF: Readonly<Record<Exclude<Owner['kind'], 'operator' | 'idle'>, string>> = {
  shared: 'shared code',
  engine: 'engine',
  collection: 'garbage collection',
  compilation: 'compilation',
  native: 'native code',
  outside: 'elsewhere',
};

function activityOf(samples: readonly AttributedSample[], counted: readonly CountedOperator[]): Activity {
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { time } of samples) {
    first = Math.min(first, time);
    last = Math.max(last, time);
  }
  if (samples.length === 0) return { fromNs: 0, binNs: 0, rows: [] };
  const bins = Math.max(1, Math.min(MOST_BINS, Math.floor(samples.length / LEAST_IN_BIN)));
  const binNs = (last - first) / bins || 1;
  const rows = new Map<string, number[]>();
  const totals = new Array<number>(bins).fill(0);
  const labels = new Map(counted.map(({ id, label }) => [id, label]));
  for (const { time, owner } of samples) {
    const bin = Math.min(bins - 1, Math.floor((time - first) / binNs));
    totals[bin] = (totals[bin] ?? 0) + 1;
    const name =
      owner.kind === 'operator'
        ? (labels.get(owner.operator) ?? owner.operator)
        : owner.kind === 'idle'
          ? ''
          : ACTIVITY_OF[owner.kind];
    const row = rows.get(name) ?? new Array<number>(bins).fill(0);
    row[bin] = (row[bin] ?? 0) + 1;
    rows.set(name, row);
  }
  const sumOf = (row: readonly number[]): number => row.reduce((sum, value) => sum + value, 0);
  return {
    fromNs: first,
    binNs,
    rows: [...rows]
      .sort(([, a], [, b]) => sumOf(b) - sumOf(a))
      .map(([name, row]) => ({ name, shares: row.map((hits, at) => (totals[at] ? hits / (totals[at] ?? 1) : 0)) })),
  };
}
