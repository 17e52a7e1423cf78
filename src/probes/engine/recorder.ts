import { randomUUID } from 'node:crypto';
import { basename } from 'node:path';
import { threadId } from 'node:worker_threads';
import type { Run } from '../../engine/api/run.ts';
import type { ProbeSpec } from '../../engine/runtime/probe.ts';
import { METRICS, type Metric } from '../../model/metric.ts';
import { subject } from '../../model/record.ts';
import { type ClockSnapshot, RUN_VERSION, type RunManifest, RunManifestSchema } from '../../model/run.ts';
import { type LaneWriter, openLane } from '../../store/lane-writer.ts';
import { redactManifest } from '../../store/redact.ts';
import { createRun, type RunWriter, runFolder } from '../../store/run-writer.ts';
import { bootId, readHost } from '../host/host.ts';
import { HostSampler } from '../host/host-sampler.ts';
import { ProcessSampler } from '../host/process-sampler.ts';
import type { RecordingOptions } from './lane.ts';

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

export type Ending = Pick<NonNullable<RunManifest['outcome']>, 'status' | 'error' | 'warnings'>;

const SAMPLE_MS = 250;
/** Samples between two snapshots of the wall clock. */
const SNAPSHOT_EVERY = 40;

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
  /** As it is, before redaction. */
  #manifest: RunManifest;
  #timer: NodeJS.Timeout | undefined;
  #watched: Run<unknown> | undefined;
  #window = 0;

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.folder = runFolder(options.folder);
    this.#manifest = RunManifestSchema.parse({
      format: 'venturi-run',
      version: RUN_VERSION,
      writer: options.writer,
      id: randomUUID(),
      name: basename(this.folder, '.venturi'),
      probe: 'engine',
      createdAt: new Date().toISOString(),
      command: options.command,
      directory: process.cwd(),
      pid: process.pid,
      start: String(process.hrtime.bigint()),
      bootId: bootId(),
      clocks: [realtime()],
      host: readHost(),
      parameters: options.parameters,
      settings: options.settings,
    });
    this.#run = createRun(options.folder, this.#public());
    this.#lane = openLane(this.folder, { name: 'host', pid: process.pid, tid: threadId });
    this.#sample();
  }

  #public(): RunManifest {
    return this.#options.redact ? redactManifest(this.#manifest) : this.#manifest;
  }

  /** What the engine hands to its lanes. */
  get probe(): ProbeSpec {
    const options: RecordingOptions = { folder: this.folder, maxBytes: this.#options.maxBytes };
    return { module: new URL('./lane.js', import.meta.url).href, options };
  }

  /** The run has its graph now, and channels to look at. */
  watch(run: Run<unknown>): void {
    this.#watched = run;
    this.#update({ graph: run.graph });
    this.#timer = setInterval(() => this.#sample(), SAMPLE_MS).unref();
  }

  /** The last figures and the final mark. Returns why the recording is not whole, if it is not. */
  finish(ending: Ending): readonly string[] {
    clearInterval(this.#timer);
    this.#sample();
    this.#lane.close();
    const warnings = [...new Set([...ending.warnings, ...this.#lane.warnings])];
    const clocks = [...this.#manifest.clocks, realtime()];
    const outcome = {
      ...ending,
      warnings,
      endedAt: new Date().toISOString(),
      monotonic: String(process.hrtime.bigint()),
    };
    try {
      this.#update({ clocks, outcome });
    } catch (error) {
      // The disk that has no room for the mark has no room for anything: what is there stays readable.
      warnings.push(`The final mark could not be written: ${(error as Error).message}`);
    }
    return warnings;
  }

  #update(facts: Partial<RunManifest>): void {
    this.#manifest = { ...this.#manifest, ...facts };
    this.#run.update(this.#public());
  }

  #sample(): void {
    const now = Number(process.hrtime.bigint());
    const lane = this.#lane;
    if (this.#window % SNAPSHOT_EVERY === 0) {
      const { monotonic, domain, value } = realtime();
      lane.clockSnapshot(domain, Number(monotonic), BigInt(value));
    }
    this.#window++;
    this.#count(now, subject.process, this.#process.sample());
    this.#count(now, subject.host, this.#host.sample());
    for (const { id, queued, occupancy, saturated } of this.#watched?.channels() ?? []) {
      this.#count(now, subject.channel(id), { chunksQueued: queued, occupancy, saturated });
    }
    lane.flush();
  }

  #count(now: number, key: string, figures: Readonly<Partial<Record<Metric, number | undefined>>>): void {
    const number = this.#lane.subjectNumber(key);
    for (const [metric, value] of Object.entries(figures) as [Metric, number | undefined][]) {
      if (value === undefined) continue;
      // Samplers speak ns; metrics of many cores together are kept in µs.
      const kept = METRICS[metric].unit === 'µs' ? value / 1000 : value;
      this.#lane.counter(number, METRICS[metric].code, now, Math.round(kept), this.#window);
    }
  }
}

const realtime = (): ClockSnapshot => ({
  monotonic: String(process.hrtime.bigint()),
  domain: 'realtime',
  value: String(BigInt(Date.now()) * 1_000_000n),
});
