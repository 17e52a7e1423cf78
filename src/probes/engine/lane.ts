import { threadId } from 'node:worker_threads';
import type {
  GeneratedLoop,
  LaneDescription,
  LaneProbe,
  LaneTotals,
  OpenLaneProbe,
} from '../../engine/contract/probe.ts';
import { generatedLines, generatedLinesFact } from '../../model/generated-lines.ts';
import type { Graph } from '../../model/graph.ts';
import { METRICS, type Metric } from '../../model/metric.ts';
import { subject } from '../../model/record.ts';
import type { RunManifest } from '../../model/run.ts';
import { STATES } from '../../model/state.ts';
import { type LaneWriter, openLane } from '../../store/lane-writer.ts';
import { lanesRedactor, type Redactor } from '../../store/redact.ts';
import { splitStates } from '../host/states.ts';
import { openThreadClock, type ThreadClock } from '../host/thread-clock.ts';
import { openThreadPages, type ThreadPages } from '../host/thread-pages.ts';
import { openThreadStorage, type ThreadStorage } from '../host/thread-storage.ts';
import { Overhead, type WorkTotals } from './overhead.ts';

/** What every lane is told about the recording. Crosses to workers by structured clone. */
export interface RecordingOptions {
  readonly folder: string;
  /** Bytes the lanes may take on disk together; each gets an equal part. */
  readonly maxBytes: number | undefined;
  /** The manifest as it is, where paths and arguments must stay out of the lanes too. */
  readonly redact: RunManifest | undefined;
}

/**
 * Interval between counter records. It grows until writing them costs at most 1 / WINDOW_COSTS of the time, up to LONGEST_WINDOW_NS
 * and 1 / LEAST_WINDOWS of the run so far.
 */
const WINDOW_NS = 250e6;
const WINDOW_COSTS = 1500;
const LEAST_WINDOWS = 20;
const LONGEST_WINDOW_NS = 500e6;
/**
 * Least interval between two readings of the CPU clock: shorter chunks share one. It grows until a reading, 10 to 150 µs between other
 * work, costs at most 1 / CPU_SPACING_COSTS of the time; there are at least two in a window.
 */
const CPU_SPACING_NS = 10e6;
const CPU_SPACING_COSTS = 2000;
const LONGEST_CPU_SPACING_NS = WINDOW_NS / 2;
/** Weight of the latest cost in the moving average of either. */
const SMOOTHING = 0.1;
/** Numbers held of a chunk until it is written, and the most chunks that are written together. */
const FACTS = 7;
const MOST_HELD = 64;
/** A reading this fresh needs no other: the thread has been on its core since, or the difference would be larger. */
const FRESH_NS = 20e3;

/** Records one lane of the engine. Runs inside the lane's thread. */
export const openLaneProbe: OpenLaneProbe = (options, lane, totals, graph) => {
  const { folder, maxBytes, redact } = options as RecordingOptions;
  const cap = maxBytes === undefined ? undefined : Math.floor(maxBytes / laneCount(graph));
  const passing = new Set(graph.operators.filter(({ work }) => work === 'none').map(({ id }) => id));
  const lastChange = lane.operators.findLastIndex(id => !passing.has(id));
  const isSource = graph.operators.some(({ id, inputs }) => id === lane.operators[0] && inputs.length === 0);
  const redactor = redact === undefined ? undefined : lanesRedactor({ ...redact, graph });
  return new RecordingProbe(folder, cap, redactor, lane, totals, lastChange, isSource);
};

/** Threads of a run, its consumer's among them. */
export const laneCount = (graph: Graph): number =>
  graph.stages.reduce((sum, { parallelism }) => sum + Math.max(1, parallelism), 1);

function redacted(lane: LaneDescription, redactor: Redactor): LaneDescription {
  const stage = redactor.name(lane.stage);
  return {
    ...lane,
    stage,
    name: lane.name.replace(lane.stage, () => stage),
    operators: lane.operators.map(id => redactor.name(id)),
  };
}

/** Metrics of an operator that its lane's totals have under the same name. */
type OperatorTotal = {
  [M in Metric & keyof LaneTotals]: LaneTotals[M] extends Float64Array ? M : never;
}[Metric & keyof LaneTotals];

class RecordingProbe implements LaneProbe {
  readonly #writer: LaneWriter;
  readonly #clock: ThreadClock;
  readonly #storage: ThreadStorage | undefined;
  readonly #pages: ThreadPages | undefined;
  readonly #totals: LaneTotals;
  readonly #start: number;
  readonly #stage: number;
  readonly #operators: readonly number[];
  readonly #ids: readonly string[];
  /** How a generated file is named, which has the stage's name in it. */
  readonly #fileName: (file: string) => string;
  /** Position of the last operator that changes elements: what leaves it leaves the lane. */
  readonly #lastChange: number;
  /** Its first operator is a source. */
  readonly #isSource: boolean;
  readonly #opened: number;
  readonly #openedCpu: number;
  readonly #openedRunnable: number;
  readonly #openedStorage: { readonly asked: number; readonly fetched: number; readonly written: number };
  readonly #overhead: Overhead;
  /** Random numbers drawn, as they were last written, by operator and metric. */
  readonly #draws = new Map<number, number>();
  #cpuRead: { readonly time: number; readonly cpu: number; readonly runnable: number };
  /** The last span's CPU has not been read yet. */
  #unread = false;
  #readAt = 0;
  #cpuSpacing = CPU_SPACING_NS;
  #cpuCost = 0;
  #windowEnd = 0;
  #windowCost = 0;
  #window = 0;
  /** Facts of chunks that have ended. Several are written together: the code that writes a record is cold between chunks. */
  readonly #ended = new Float64Array(FACTS * MOST_HELD);
  #held = 0;

  constructor(
    folder: string,
    maxBytes: number | undefined,
    redactor: Redactor | undefined,
    described: LaneDescription,
    totals: LaneTotals,
    lastChange: number,
    isSource: boolean,
  ) {
    const lane = redactor === undefined ? described : redacted(described, redactor);
    const isHidden = lane.stage !== described.stage;
    this.#fileName = file => (isHidden ? redactor?.token('argument', file) : redactor?.name(file)) ?? file;
    this.#ids = lane.operators;
    this.#totals = totals;
    this.#isSource = isSource;
    this.#lastChange = lastChange;
    this.#start = Number(lane.start);
    this.#clock = openThreadClock({ waited: () => totals.starved + totals.backpressured });
    const clock = this.#clock;
    const pages = openThreadPages();
    this.#pages = pages;
    this.#storage = openThreadStorage({
      get bytesRead() {
        return clock.bytesRead + (pages?.bytesRead ?? 0);
      },
    });
    this.#writer = openLane(folder, {
      name: lane.name,
      pid: process.pid,
      tid: threadId,
      ...(maxBytes === undefined ? {} : { maxBytes }),
    });
    this.#stage = this.#writer.subjectNumber(subject.stage(lane.stage));
    this.#operators = lane.operators.map(id => this.#writer.subjectNumber(subject.operator(id)));
    this.#read();
    this.#storage?.read();
    this.#opened = this.#now();
    this.#openedCpu = this.#clock.cpu;
    this.#openedRunnable = this.#clock.runnable;
    const { asked = 0, fetched = 0, written = 0 } = this.#storage ?? {};
    this.#openedStorage = { asked, fetched, written };
    this.#cpuRead = { time: this.#opened, cpu: this.#clock.cpu, runnable: this.#clock.runnable };
    this.#overhead = new Overhead(this.#work());
    // From zero on; and the code that does it has run once before there is work that would wait for it.
    this.#writeCounters(this.#opened);
  }

  /** CLOCK_MONOTONIC, ns. */
  #now(): number {
    return Number(process.hrtime.bigint());
  }

  cpu(): number {
    const since = this.#now() - this.#readAt;
    if (since < FRESH_NS) return this.#clock.cpu + since;
    this.#read();
    return this.#clock.cpu;
  }

  #read(): void {
    this.#clock.read();
    this.#readAt = this.#now();
  }

  end(
    sequence: number,
    start: number,
    end: number,
    elementsIn: number,
    elementsOut: number,
    bytesIn: number,
    bytesOut: number,
  ): void {
    const now = this.#start + end;
    const ended = this.#ended;
    if (this.#held === ended.length) this.#writeEnded();
    const at = this.#held;
    ended[at] = sequence;
    ended[at + 1] = start;
    ended[at + 2] = end;
    ended[at + 3] = elementsIn;
    ended[at + 4] = elementsOut;
    ended[at + 5] = bytesIn;
    ended[at + 6] = bytesOut;
    this.#held = at + FACTS;
    this.#unread = true;
    if (now - this.#cpuRead.time >= this.#cpuSpacing) this.#readCpu(now);
    if (now >= this.#windowEnd) this.#writeCounters(now);
  }

  #writeEnded(): void {
    const [ended, writer] = [this.#ended, this.#writer];
    for (let at = 0; at < this.#held; at += FACTS) {
      const start = ended[at + 1] ?? 0;
      const bytesIn = ended[at + 5] ?? 0;
      const bytesOut = ended[at + 6] ?? 0;
      writer.span(this.#stage, ended[at] ?? 0, this.#start + start, (ended[at + 2] ?? 0) - start);
      writer.elements(ended[at + 3] ?? 0, ended[at + 4] ?? 0);
      if (bytesIn + bytesOut > 0) writer.bytes(bytesIn, bytesOut);
    }
    this.#held = 0;
  }

  /** CPU since the last reading: that of this chunk and of the short ones before it. */
  #readCpu(now: number): void {
    const began = this.#now();
    this.#writeEnded();
    this.#read();
    const { cpu, runnable } = this.#clock;
    this.#writer.cpu(cpu - this.#cpuRead.cpu, runnable - this.#cpuRead.runnable);
    this.#unread = false;
    this.#cpuRead = { time: now, cpu, runnable };
    this.#overhead.add(this.#work());
    this.#cpuCost += SMOOTHING * (this.#now() - began - this.#cpuCost);
    this.#cpuSpacing = Math.min(LONGEST_CPU_SPACING_NS, Math.max(CPU_SPACING_NS, CPU_SPACING_COSTS * this.#cpuCost));
  }

  #work(): WorkTotals {
    const { busy, inOperators } = this.#totals;
    return { cpu: this.#clock.cpu, runnable: this.#clock.runnable, busy, inOperators };
  }

  generated(loops: readonly GeneratedLoop[]): void {
    for (const { file, firstLine, owners } of loops) {
      const ids = owners.map(owner => (owner === undefined ? undefined : this.#ids[owner]));
      const fact = generatedLinesFact(generatedLines(this.#fileName(file), ids, firstLine));
      if (fact !== undefined) this.#writer.subjectNumber(subject.facts(fact));
    }
  }

  tick(): void {
    const now = this.#now();
    if (now >= this.#windowEnd) this.#writeCounters(now);
  }

  close(): readonly string[] {
    this.#writeCounters(this.#now());
    this.#writer.close();
    this.#clock.close();
    this.#storage?.close();
    this.#pages?.close();
    return this.#writer.warnings;
  }

  #writeCounters(now: number): void {
    const began = this.#now();
    if (this.#unread) this.#readCpu(now);
    this.#window++;
    this.#writeLane(now);
    for (let at = 0; at < this.#operators.length; at++) this.#writeOperator(now, this.#operators[at] ?? 0, at);
    this.#writer.flush();
    this.#windowCost += SMOOTHING * (this.#now() - began - this.#windowCost);
    const longest = Math.min(LONGEST_WINDOW_NS, (now - this.#opened) / LEAST_WINDOWS);
    this.#windowEnd = now + Math.max(WINDOW_NS, Math.min(longest, WINDOW_COSTS * this.#windowCost));
  }

  #writeLane(now: number): void {
    if (this.#now() - this.#readAt >= FRESH_NS) this.#read();
    this.#storage?.read();
    const totals = this.#totals;
    const cpu = this.#clock.cpu - this.#openedCpu;
    const runnable = this.#clock.runnable - this.#openedRunnable;
    const states = splitStates(now - this.#opened, cpu, runnable, totals.starved, totals.backpressured);
    for (const state of STATES) this.#count(now, 0, METRICS[state].code, states[state]);
    this.#count(now, 0, METRICS.overhead.code, this.#overhead.of(states.running));
    if (this.#storage !== undefined) {
      this.#count(now, 0, METRICS.storageAsked.code, this.#storage.asked - this.#openedStorage.asked);
      this.#count(now, 0, METRICS.storageRead.code, this.#storage.fetched - this.#openedStorage.fetched);
      this.#count(now, 0, METRICS.storageWritten.code, this.#storage.written - this.#openedStorage.written);
    }
    if (this.#pages !== undefined) this.#count(now, 0, METRICS.freshPages.code, this.#pages.read());
    this.#count(now, this.#stage, METRICS.cpu.code, states.running);
    this.#count(now, this.#stage, METRICS.chunks.code, totals.chunks);
    this.#count(now, this.#stage, METRICS.bytesIn.code, totals.bytesIn);
    this.#count(now, this.#stage, METRICS.bytesOut.code, totals.bytesOut);
  }

  #writeOperator(now: number, number: number, at: number): void {
    const totals = this.#totals;
    this.#countEach(now, number, at, ['elementsIn', 'elementsOut']);
    if (at === 0 && this.#isSource && totals.done >= 0) {
      this.#count(now, number, METRICS.sourceDone.code, totals.done * 1e6);
      if (totals.files > 0) this.#count(now, number, METRICS.sourceFiles.code, totals.files);
    }
    this.#countEach(now, number, at, ['sampledElements', 'sampledTime', 'sampledSquares']);
    this.#countDraws(now, number, METRICS.keyedDraws.code, totals.keyedDraws[at] ?? 0);
    this.#countDraws(now, number, METRICS.ambientDraws.code, totals.ambientDraws[at] ?? 0);
    // Only async functions have calls that are waited for.
    if (totals.calls[at]) this.#countEach(now, number, at, ['calls', 'callTime', 'slowestCall', 'failedCalls']);
    // Exact where elements leave the lane; inside the loop they are never encoded, and their sizes are sampled.
    const leaves = at >= this.#lastChange && totals.bytesOut > 0;
    const bytes = leaves ? totals.bytesOut : this.#estimated(totals.sampledBytes, at);
    this.#count(now, number, METRICS.bytesOut.code, bytes);
    const arrays = leaves ? totals.arraysOut : this.#estimated(totals.sampledArrays, at);
    if (arrays > 0) this.#count(now, number, METRICS.arraysOut.code, arrays);
    const objects = this.#estimated(totals.sampledObjects, at);
    if (objects > 0) this.#count(now, number, METRICS.objectsOut.code, objects);
    const staying = totals.stayingElements[at] ?? 0;
    if (staying > 0) this.#count(now, number, METRICS.stayingElements.code, staying);
  }

  #countEach(now: number, number: number, at: number, metrics: readonly OperatorTotal[]): void {
    for (const metric of metrics) this.#count(now, number, METRICS[metric].code, this.#totals[metric][at] ?? 0);
  }

  /** Most operators draw nothing, ever: it is enough to say so once. */
  #countDraws(now: number, number: number, code: number, value: number): void {
    const key = number * 256 + code;
    if (this.#draws.get(key) === value) return;
    this.#draws.set(key, value);
    this.#count(now, number, code, value);
  }

  /** Of all that left operator `at`, from what was seen of those that were sized. */
  #estimated(seen: Float64Array, at: number): number {
    const sized = this.#totals.sizedElements[at] ?? 0;
    if (sized === 0) return 0;
    return ((seen[at] ?? 0) / sized) * (this.#totals.elementsOut[at] ?? 0);
  }

  #count(now: number, number: number, code: number, value: number): void {
    this.#writer.counter(number, code, now, Math.round(value), this.#window);
  }
}
