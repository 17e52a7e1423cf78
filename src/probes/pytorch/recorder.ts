import { readdirSync, rmSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Graph } from '../../model/graph.ts';
import type { MachineCosts } from '../../model/machine-costs.ts';
import { subject } from '../../model/record.ts';
import { type Outcome, type RunManifest, RunManifestSchema } from '../../model/run.ts';
import type { Warning } from '../../model/warnings.ts';
import { type LaneWriter, openLane } from '../../store/lane-writer.ts';
import { redactManifest } from '../../store/redact.ts';
import { createRun, type RunFacts, type RunWriter } from '../../store/run-writer.ts';
import { writeFigures } from '../host/counters.ts';
import { HostSampler } from '../host/host-sampler.ts';
import { endOfRun, realtime, startOfRun } from '../host/moment.ts';
import { endAbandonedLanes } from './abandoned-lanes.ts';
import { type ControlMarks, createControl, markStopped, readControl, removeControl } from './control.ts';
import { StartedPythons } from './started-pythons.ts';

export interface PytorchRecorderOptions {
  readonly folder: string;
  /** Program and version that records. */
  readonly writer: string;
  readonly command: readonly string[];
  /** Batches after which recording stops; the program too, where it is asked to. */
  readonly batches: number | undefined;
  readonly thenStop: boolean;
  /** Bytes the recording may take. */
  readonly maxBytes: number | undefined;
  /** Leaves paths and arguments out. */
  readonly redact: boolean;
  /** Samples the lines of Python that prepare elements. */
  readonly stacks: boolean;
}

/** What is known at the end of a run and not at its beginning. */
export interface PytorchEnding {
  readonly outcome: Pick<Outcome, 'status' | 'error'> & { readonly warnings: readonly Warning[] };
  readonly graph: Graph | undefined;
  /** `python 3.11.7, torch 2.14.1`. */
  readonly runtime: string | undefined;
  /** What this machine takes for what the recording has not in it. */
  readonly costs: MachineCosts | undefined;
}

const SAMPLE_MS = 250;
/** Part of the recording's space that the machine's lane may take; `python/venturi_probe/recording/room.py` divides it so. */
const PARTS = 32;
/** What Python finds first on its path: a sitecustomize that starts the probe. */
const INJECTED = fileURLToPath(new URL('../../../python/inject', import.meta.url));

const PACKAGES = fileURLToPath(new URL('../../../python', import.meta.url));

/**
 * The parent's side of a recorded PyTorch program: makes the run's folder, says what environment carries the probe into
 * every Python of the program, and keeps a lane for the machine.
 */
export class PytorchRecorder {
  readonly folder: string;
  readonly #options: PytorchRecorderOptions;
  readonly #run: RunWriter;
  /** As it is, before redaction. */
  #manifest: RunManifest;
  readonly #lane: LaneWriter;
  readonly #host = new HostSampler();
  readonly #timer: NodeJS.Timeout;
  #window = 0;
  #ended = endOfRun();

  constructor(options: PytorchRecorderOptions) {
    this.#options = options;
    const { batches, maxBytes } = options;
    this.#manifest = RunManifestSchema.parse({
      ...startOfRun('pytorch', options, resolve(options.folder)),
      settings: batches === undefined ? {} : { batches },
    } satisfies RunFacts);
    this.#run = createRun(options.folder, this.#shown);
    this.folder = this.#run.folder;
    createControl(this.folder);
    this.#lane = openLane(this.folder, {
      name: 'host',
      pid: process.pid,
      tid: process.pid,
      ...(maxBytes === undefined ? {} : { maxBytes: maxBytes / PARTS }),
    });
    this.#sample();
    this.#timer = setInterval(() => this.#sample(), SAMPLE_MS).unref();
  }

  /** The environment in which the program is to be started. */
  environment(own: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
    const paths = [INJECTED, ...(own.PYTHONPATH === undefined || own.PYTHONPATH === '' ? [] : [own.PYTHONPATH])];
    return { ...own, PYTHONPATH: paths.join(delimiter), ...this.settings };
  }

  /** What of it the probe reads. */
  get settings(): Readonly<Record<string, string>> {
    const { batches, thenStop, maxBytes, redact, stacks } = this.#options;
    return {
      VENTURI_RUN: resolve(this.folder),
      ...(batches === undefined ? {} : { VENTURI_BATCHES: String(batches) }),
      ...(thenStop ? { VENTURI_THEN_STOP: '1' } : {}),
      ...(maxBytes === undefined ? {} : { VENTURI_LIMIT: String(maxBytes) }),
      ...(redact ? { VENTURI_REDACT: '1' } : {}),
      ...(stacks ? { VENTURI_STACKS: '1' } : {}),
    };
  }

  /** Looks at the Pythons that a process starts, until one of them is recorded; undefined where that cannot be seen. */
  watch(pid: number): StartedPythons | undefined {
    return process.platform === 'linux' ? new StartedPythons(pid, INJECTED, () => this.hasLanes) : undefined;
  }

  /** What the probes have marked so far. */
  marks(): ControlMarks {
    return readControl(this.folder);
  }

  /** Ends the recording; the program goes on. */
  stop(): void {
    markStopped(this.folder);
  }

  /** Where a Python finds the probe. */
  readonly packages = PACKAGES;

  /** Whether any Python has written a lane. */
  get hasLanes(): boolean {
    try {
      return readdirSync(`${this.folder}/lanes`).length > 1;
    } catch {
      return false;
    }
  }

  /** Ends the lanes that nobody else will end, so that the run can be read whole. */
  close(endedWell: boolean): void {
    clearInterval(this.#timer);
    this.#ended = endOfRun();
    this.#sample();
    this.#lane.close();
    removeControl(this.folder);
    if (!endedWell) return;
    try {
      endAbandonedLanes(join(this.folder, 'lanes'), Number(process.hrtime.bigint()));
    } catch {
      // They are read as far as they were written, and called unclosed.
    }
  }

  /** The final mark; after `close`. */
  finish({ outcome, graph, runtime, costs }: PytorchEnding): void {
    const { host, clocks } = this.#manifest;
    this.#manifest = {
      ...this.#manifest,
      clocks: [...clocks, realtime()],
      ...(graph === undefined ? {} : { graph }),
      host: { ...host, ...(runtime === undefined ? {} : { runtime }), ...(costs === undefined ? {} : { costs }) },
      outcome: {
        ...outcome,
        warnings: [...outcome.warnings.map(({ message }) => message), ...this.#lane.warnings],
        warningCodes: outcome.warnings.map(({ code }) => code),
        ...this.#ended,
      },
    };
    this.#run.update(this.#shown);
  }

  get #shown(): RunManifest {
    return this.#options.redact ? redactManifest(this.#manifest) : this.#manifest;
  }

  /** Takes the run's folder away again: there was nothing to record. */
  discard(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  #sample(): void {
    const now = Number(process.hrtime.bigint());
    this.#window++;
    const number = this.#lane.subjectNumber(subject.host);
    writeFigures(this.#lane, number, now, this.#window, this.#host.sample());
    this.#lane.flush();
  }
}
