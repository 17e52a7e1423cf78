import { rmSync } from 'node:fs';
import { threadId } from 'node:worker_threads';
import type { ProbeSpec } from '../../engine/contract/probe.ts';
import type { Run } from '../../engine/contract/run.ts';
import { subject } from '../../model/record.ts';
import type { RunManifest, Stuck } from '../../model/run.ts';
import { mergeLaneWarnings } from '../../store/lane-warnings.ts';
import { type LaneWriter, openLane, SMALLEST_CAP } from '../../store/lane-writer.ts';
import { lanesRedactor, redactManifest } from '../../store/redact.ts';
import { createRun, type RunWriter, runFolder } from '../../store/run-writer.ts';
import { type Figures, writeFigures } from '../host/counters.ts';
import { HostSampler } from '../host/host-sampler.ts';
import { endOfRun, realtime, startOfRun } from '../host/moment.ts';
import { ProcessSampler } from '../host/process-sampler.ts';
import { keptPipelineCosts } from './costs/kept-costs.ts';
import { laneCount, type RecordingOptions } from './lane.ts';
import type { ProfilingOptions } from './profile/lane.ts';

export interface RecorderOptions {
  readonly folder: string;
  /** Program and version that records. */
  readonly writer: string;
  readonly command: readonly string[];
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly settings: Readonly<Record<string, unknown>>;
  /** Bytes the whole recording may take on disk. */
  readonly maxBytes: number | undefined;
  /** Leave paths and arguments out. */
  readonly redact: boolean;
}

/** What lanes are told of a profiler that runs beside the recording. */
export type LaneSampling = Pick<ProfilingOptions, 'gate' | 'slackNs'>;

export type Ending = Pick<NonNullable<RunManifest['outcome']>, 'status' | 'error' | 'warnings'>;

const SAMPLE_MS = 500;
/** The machine is looked at less often than the process: its counters are in files that are dear to read. */
const HOST_EVERY = 2;
/** Samples between two snapshots of the wall clock. */
const SNAPSHOT_EVERY = 20;
/** Part of a size cap that the machine's own lane gets. */
const HOST_PART = 1 / 8;

/**
 * Records a run of the engine: makes its folder, hands every lane a probe, and keeps a lane of its own for what no
 * worker can see: the channels, the process as a whole, the machine.
 */
export class EngineRecorder {
  readonly folder: string;
  readonly #options: RecorderOptions;
  readonly #run: RunWriter;
  readonly #lane: LaneWriter;
  readonly #process = new ProcessSampler();
  readonly #host = new HostSampler();
  #sampling: LaneSampling | undefined;
  /** As it is, before redaction. */
  #manifest: RunManifest;
  #timer: NodeJS.Timeout | undefined;
  #watched: Run<unknown> | undefined;
  #window = 0;
  readonly #warnings: string[] = [];
  #redactKey = (key: string): string => key;
  /** As it was last written down. */
  #stuck = '[]';

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.folder = runFolder(options.folder);
    const begun = startOfRun('engine', options, this.folder);
    const pipelineCosts = keptPipelineCosts(options.writer);
    this.#manifest = {
      ...begun,
      host: { ...begun.host, ...(pipelineCosts && { pipelineCosts }) },
      parameters: options.parameters,
      settings: options.settings,
      redacted: false,
    };
    this.#run = createRun(options.folder, this.#public());
    const { maxBytes } = options;
    this.#lane = openLane(this.folder, {
      name: 'host',
      pid: process.pid,
      tid: threadId,
      ...(maxBytes === undefined ? {} : { maxBytes: Math.floor(maxBytes * HOST_PART) }),
    });
    this.#sample();
  }

  #public(): RunManifest {
    return this.#options.redact ? redactManifest(this.#manifest) : this.#manifest;
  }

  /** What the engine hands to its lanes. */
  get #probe(): ProbeSpec {
    const { maxBytes, redact } = this.#options;
    const options: RecordingOptions = {
      folder: this.folder,
      maxBytes: maxBytes === undefined ? undefined : maxBytes * (1 - HOST_PART),
      redact: redact ? this.#manifest : undefined,
    };
    if (this.#sampling === undefined) return { module: new URL('./lane.js', import.meta.url).href, options };
    const { gate, slackNs } = this.#sampling;
    const module = new URL('./profile/lane.js', import.meta.url).href;
    return { module, options: { ...options, gate, slackNs } satisfies ProfilingOptions };
  }

  /** Starts a run that is to be recorded. One that does not start leaves nothing behind. `sampling`: lanes wait for it. */
  start<T>(begin: (probe: ProbeSpec) => Run<T>, sampling?: LaneSampling): Run<T> {
    this.#sampling = sampling;
    let run: Run<T>;
    try {
      run = begin(this.#probe);
    } catch (error) {
      this.#lane.close();
      rmSync(this.folder, { recursive: true, force: true });
      throw error;
    }
    this.#watch(run);
    return run;
  }

  /** The run has its graph now, and channels to look at. */
  #watch(run: Run<unknown>): void {
    this.#watched = run;
    this.#update({ graph: run.graph });
    if (this.#options.redact) {
      const redactor = lanesRedactor(this.#manifest);
      this.#redactKey = key => redactor.key(key);
    }
    this.#checkLimit(laneCount(run.graph) + 1);
    this.#timer = setInterval(() => this.#sample(), SAMPLE_MS).unref();
  }

  #checkLimit(lanes: number): void {
    const least = lanes * SMALLEST_CAP;
    const { maxBytes } = this.#options;
    if (maxBytes === undefined || maxBytes * Math.min(HOST_PART, (1 - HOST_PART) / (lanes - 1)) >= SMALLEST_CAP) return;
    this.#warnings.push(
      `The recording may take more than its limit of ${maxBytes} bytes: each of its ${lanes} lanes keeps at least ` +
        `${SMALLEST_CAP}, ${least} together.`,
    );
  }

  /** The last figures and the final mark. Returns why the recording is not whole, if it is not. */
  finish(ending: Ending): readonly string[] {
    clearInterval(this.#timer);
    this.#sample(true);
    this.#lane.close();
    const warnings = mergeLaneWarnings([...this.#warnings, ...ending.warnings, ...this.#lane.warnings]);
    const clocks = [...this.#manifest.clocks, realtime()];
    const outcome = { ...ending, warnings, ...endOfRun() };
    const stuck = this.#stuckNow();
    this.#update({ clocks, outcome, ...(stuck.length > 0 || this.#stuck !== '[]' ? { stuck } : {}) });
    return [...warnings, ...this.#warnings.filter(warning => !warnings.includes(warning))];
  }

  /** Spans are written when they end: what does not end is told here. */
  #stuckNow(): Stuck[] {
    const run = this.#watched;
    if (run === undefined) return [];
    const offset = Number(run.start - BigInt(this.#manifest.start));
    return run.stuck().map(({ sinceNs, operators, ...work }) => ({
      ...work,
      operators: [...operators],
      since: Math.max(0, Math.round(sinceNs + offset)),
    }));
  }

  #noteStuck(): void {
    const stuck = this.#stuckNow();
    const text = JSON.stringify(stuck);
    if (text === this.#stuck) return;
    this.#stuck = text;
    this.#update({ stuck });
  }

  #update(facts: Partial<RunManifest>): void {
    this.#manifest = { ...this.#manifest, ...facts };
    try {
      this.#run.update(this.#public());
    } catch (error) {
      // A disk without room for the facts has no room for anything: what is there stays readable, and the run goes on.
      this.#warnings.push((error as Error).message);
    }
  }

  #sample(isLast = false): void {
    const now = Number(process.hrtime.bigint());
    const lane = this.#lane;
    if (this.#window % SNAPSHOT_EVERY === 0) {
      const { monotonic, domain, value } = realtime();
      lane.clockSnapshot(domain, Number(monotonic), BigInt(value));
    }
    const withHost = isLast || this.#window % HOST_EVERY === 0;
    this.#window++;
    this.#count(now, subject.process, this.#process.sample());
    if (withHost) this.#count(now, subject.host, this.#host.sample());
    for (const { id, queued, occupancy, saturated, transport, chunks, bytes, inParts } of this.#watched?.channels() ??
      []) {
      this.#count(now, subject.channel(id), {
        chunksQueued: queued,
        occupancy,
        saturated,
        transport,
        chunksHandedOn: chunks,
        bytesHandedOn: bytes,
        chunksInParts: inParts.chunks,
        bytesInParts: inParts.bytes,
        largestInParts: inParts.largest,
      });
    }
    lane.flush();
    if (!isLast) this.#noteStuck();
  }

  #count(now: number, key: string, figures: Figures): void {
    writeFigures(this.#lane, this.#lane.subjectNumber(this.#redactKey(key)), now, this.#window, figures);
  }
}
