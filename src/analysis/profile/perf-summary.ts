import { GENERATED_LINES } from '../../model/line-ranges.ts';
import type {
  Frame,
  LaneDictionary,
  PerfStream,
  RecordedPerf,
  RecordedProfile,
  SampleStream,
} from '../../model/profile.ts';
import { JointLines, type ProfileRange } from './attributed-samples.ts';
import { type DataAddresses, dataAddresses } from './data-addresses.ts';
import { loopLines } from './generated-code.ts';
import type { Owner } from './owner.ts';
import type { PerfSample } from './perf-sample.ts';
import { type HotLine, hottestLines, loopsOf } from './profiled-lines.ts';
import { Resolver } from './resolver.ts';

/** What Linux perf saw of the lanes. */
export interface PerfSummary {
  readonly profiler: string;
  /** As perf names them. */
  readonly events: readonly string[];
  /** Samples per second of a thread on a core, asked for. */
  readonly frequency: number;
  /** Of lanes, by event. */
  readonly samples: readonly number[];
  /** Of lanes that were still loading, by event: V8's samples begin behind that. */
  readonly loading: readonly number[];
  /** Of the other threads of the process, by event. */
  readonly otherThreads: readonly number[];
  readonly rows: readonly PerfRow[];
  /** Native functions by their part of the first event. */
  readonly native: readonly NativeFunction[];
  /** Part of the first event in V8's own functions: some have no frame, and what called them is then lost. */
  readonly inBuiltins: number;
  /** By the first event. */
  readonly hottest: readonly HotLine[];
  /** Of samples in generated code: those whose line lies in the loop that the code at their address was compiled from. */
  readonly position: { readonly checked: number; readonly agreeing: number };
  readonly data: readonly DataAddresses[];
}

/** An operator, or what is none. */
export interface PerfRow {
  readonly name: string;
  readonly isOperator: boolean;
  /** Part of each event of the lanes; undefined: there was none of it. */
  readonly shares: readonly (number | undefined)[];
  /** Part of the first event of all lanes that is in native code the operator called. */
  readonly nativeShare: number;
}

export interface NativeFunction {
  readonly symbol: string;
  readonly module: string;
  readonly share: number;
  /** Who called it, and for which part of all. */
  readonly callers: readonly { readonly name: string; readonly share: number }[];
}

const NAMES: Readonly<Record<Exclude<Owner['kind'], 'operator' | 'engine'>, string>> = {
  shared: 'shared code',
  collection: 'garbage collection',
  compilation: 'compilation',
  native: 'native code',
  idle: 'waiting',
  outside: 'elsewhere',
};

const nameOf = (owner: Owner): string =>
  owner.kind === 'operator'
    ? owner.operator
    : owner.kind === 'engine'
      ? `engine: ${owner.task}`
      : owner.kind === 'shared'
        ? owner.operators.join(' and ')
        : NAMES[owner.kind];

const MOST_NATIVE = 20;
/** As V8 names functions of its own in the program's table of symbols. */
const BUILTIN = /^Builtins_/;

/** Of V8's samples the first of a thread says when that had loaded. */
export function summarisePerf(
  { facts, streams }: RecordedPerf,
  { lanes, streams: byV8 }: Pick<RecordedProfile, 'lanes' | 'streams'>,
  { start, from = 0, to = Number.POSITIVE_INFINITY }: ProfileRange,
): PerfSummary {
  const events = facts.events.map((_, at) => at);
  const counts = (): number[] => events.map(() => 0);
  const [samples, loading, otherThreads, totals] = [counts(), counts(), counts(), counts()];
  const position = { checked: 0, agreeing: 0 };
  const all: PerfSample[] = [];
  for (const stream of streams) {
    const own = lanes.filter(({ tid }) => tid === stream.tid);
    const isLane = own.some(({ isQuery }) => isQuery !== true);
    const begins = beginningOf(stream.tid, byV8) - start;
    for (const sample of isLane ? ownedBy(own, stream, start) : eventsOf(stream, start)) {
      if (sample.time < from || sample.time >= to) continue;
      add(!isLane ? otherThreads : sample.time < begins ? loading : samples, sample.event, 1);
      if (!isOwned(sample) || sample.time < begins) continue;
      add(totals, sample.event, sample.weight);
      if (sample.agrees !== undefined) position.checked++;
      if (sample.agrees === true) position.agreeing++;
      all.push(sample);
    }
  }
  const first = all.filter(({ event }) => event === 0);
  return {
    profiler: facts.profiler,
    events: facts.events,
    frequency: facts.frequency,
    samples,
    loading,
    otherThreads,
    rows: rowsOf(all, totals),
    native: nativeOf(first, totals[0] ?? 0),
    inBuiltins: builtinsIn(first, totals[0] ?? 0),
    hottest: hottestLines(loopsOf(lanes, first), Math.max(1, first.length)),
    position,
    data: dataAddresses(all, nameOf),
  };
}

/** V8 may sample a thread several times over, with breaks. Where nothing of it was kept, all that perf saw counts. */
function beginningOf(tid: number, byV8: readonly SampleStream[]): number {
  const firsts = byV8.flatMap(stream => (stream.tid === tid ? stream.times.slice(0, 1) : []));
  return firsts.length === 0 ? 0 : Math.min(...firsts);
}

interface CheckedSample extends PerfSample {
  /** Undefined: it is in no generated code. */
  readonly agrees: boolean | undefined;
}

const isOwned = (sample: CheckedSample | Pick<PerfSample, 'time' | 'event'>): sample is CheckedSample =>
  'owner' in sample;

function add(sums: number[], at: number, value: number): void {
  sums[at] = (sums[at] ?? 0) + value;
}

function* eventsOf(
  { times, event }: PerfStream,
  start: number,
): Generator<{ readonly time: number; readonly event: number }> {
  for (const [at, time] of times.entries()) yield { time: time - start, event: event[at] ?? 0 };
}

function* ownedBy(
  own: readonly LaneDictionary[],
  stream: PerfStream,
  start: number,
): Generator<CheckedSample, void, undefined> {
  const lane = own.find(({ isQuery }) => isQuery !== true);
  if (lane === undefined) return;
  const resolver = new Resolver(own, stream.frames);
  const joint = new JointLines();
  for (const [at, moment] of stream.times.entries()) {
    const [node, line, native] = [stream.nodes[at] ?? 0, stream.lines[at] ?? 0, stream.native[at] ?? -1];
    yield {
      lane,
      time: moment - start,
      owner: joint.ownerOf(resolver.ownerOf(node, line)),
      event: stream.event[at] ?? 0,
      weight: stream.weight[at] ?? 0,
      address: stream.address[at] ?? 0,
      native: stream.natives[native],
      agrees: isWithin(own, stream.frames.get(node), line),
    };
  }
}

/** Tag against position: the address says in which function the sample is, the debug information which line it is. */
function isWithin(own: readonly LaneDictionary[], frame: Frame | undefined, line: number): boolean | undefined {
  if (frame === undefined || line < GENERATED_LINES) return undefined;
  const [, , , file] = frame;
  const loop = own.flatMap(({ loops }) => loops).find(each => each.file === file);
  return loop === undefined ? undefined : loop.firstLine <= line && line < loop.firstLine + loopLines(loop).length;
}

function rowsOf(all: readonly PerfSample[], totals: readonly number[]): PerfRow[] {
  const rows = new Map<string, { isOperator: boolean; sums: number[]; native: number }>();
  for (const { owner, event, weight, native } of all) {
    const name = nameOf(owner);
    const row = rows.get(name) ?? { isOperator: owner.kind === 'operator', sums: totals.map(() => 0), native: 0 };
    rows.set(name, row);
    add(row.sums, event, weight);
    if (event === 0 && native !== undefined) row.native += weight;
  }
  return [...rows]
    .map(([name, { isOperator, sums, native }]) => ({
      name,
      isOperator,
      shares: sums.map((sum, at) => ((totals[at] ?? 0) > 0 ? sum / (totals[at] ?? 1) : undefined)),
      nativeShare: (totals[0] ?? 0) > 0 ? native / (totals[0] ?? 1) : 0,
    }))
    .sort((a, b) => (b.shares[0] ?? 0) - (a.shares[0] ?? 0));
}

const builtinsIn = (first: readonly PerfSample[], total: number): number =>
  first.reduce((sum, { native, weight }) => (BUILTIN.test(native?.[0] ?? '') ? sum + weight : sum), 0) /
  Math.max(1, total);

function nativeOf(first: readonly PerfSample[], total: number): NativeFunction[] {
  const found = new Map<string, { names: readonly [string, string]; sum: number; callers: Map<string, number> }>();
  for (const { native, owner, weight } of first) {
    if (native === undefined) continue;
    const key = native.join('\n');
    const one = found.get(key) ?? { names: native, sum: 0, callers: new Map<string, number>() };
    found.set(key, one);
    one.sum += weight;
    const caller = nameOf(owner);
    one.callers.set(caller, (one.callers.get(caller) ?? 0) + weight);
  }
  return [...found.values()]
    .sort((a, b) => b.sum - a.sum)
    .slice(0, MOST_NATIVE)
    .map(({ names: [symbol, module], sum, callers }) => ({
      symbol,
      module,
      share: sum / total,
      callers: [...callers].map(([name, part]) => ({ name, share: part / total })).sort((a, b) => b.share - a.share),
    }));
}
