import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { VenturiError } from '../model/errors.ts';
import type { PerfEntry } from '../model/profile.ts';
import { FrameFiles } from '../probes/engine/profile/frame-files.ts';
import { JitLog } from '../probes/engine/profile/jit-log.ts';
import { JitTable } from '../probes/samples/jit-table.ts';
import { readJitDump } from '../probes/samples/jitdump.ts';
import { PerfFrames } from '../probes/samples/perf-frames.ts';
import { DEFAULT_PERF, PerfProcess, type PerfSettings } from '../probes/samples/perf-process.ts';
import { withoutModifier } from '../probes/samples/sample.ts';
import { PERF_SAMPLES, PROFILE_FOLDER } from '../store/profile-files.ts';

/** Linux perf beside V8's profiler, on this process. Where it cannot be it says why, and the run goes on. */
export class PerfSampling {
  readonly #folder: string;
  readonly #authorUrl: string;
  readonly #settings: PerfSettings;
  readonly #warnings: string[] = [];
  #log: JitLog | undefined;
  #perf: PerfProcess | undefined;

  private constructor(folder: string, authorUrl: string, settings: PerfSettings) {
    this.#folder = join(folder, PROFILE_FOLDER);
    this.#authorUrl = authorUrl;
    this.#settings = { ...settings, hasStacks: true };
  }

  /** Before any lane starts: threads that are there already do not log their code. */
  static async begin(folder: string, authorUrl: string, settings: PerfSettings): Promise<PerfSampling> {
    const sampling = new PerfSampling(folder, authorUrl, settings);
    try {
      mkdirSync(sampling.#folder, { recursive: true });
      sampling.#perf = await sampling.#attached();
      sampling.#log = await JitLog.begin();
      if (sampling.#log === undefined)
        sampling.#warnings.push(
          'V8 could not log its code, so samples of perf lead to no line: the folder at hand must be writable, and not be mounted noexec.',
        );
    } catch (error) {
      sampling.#warnings.push(sentenceOf(error));
    }
    return sampling;
  }

  /** Events that do not exist here are told apart from perf not working at all: the clock is always there. */
  async #attached(): Promise<PerfProcess> {
    try {
      return await PerfProcess.attach(process.pid, this.#folder, this.#settings);
    } catch (error) {
      if (this.#settings.events.join() === DEFAULT_PERF.events.join()) throw error;
      const perf = await PerfProcess.attach(process.pid, this.#folder, {
        ...this.#settings,
        events: DEFAULT_PERF.events,
      });
      this.#warnings.push(sentenceOf(error));
      return perf;
    }
  }

  /** Puts the samples into the run; gives what went wrong, in sentences. */
  async end(): Promise<readonly string[]> {
    const [perf, log] = [this.#perf, this.#log];
    this.#perf = undefined;
    this.#log = undefined;
    try {
      await perf?.stop();
      const dump = await log?.end();
      if (perf !== undefined) await this.#keep(perf, dump ?? new Uint8Array());
    } catch (error) {
      this.#warnings.push(sentenceOf(error));
    } finally {
      perf?.discard();
    }
    return this.#warnings;
  }

  async #keep(perf: PerfProcess, bytes: Uint8Array): Promise<void> {
    const events = await perf.events();
    const missing = this.#settings.events.map(withoutModifier).filter(event => !events.includes(event));
    if (missing.length > 0)
      this.#warnings.push(`${missing.join(', ')} cannot be sampled here: perf's samples are of ${events.join(', ')}.`);
    const files = new FrameFiles(this.#authorUrl);
    const table = new JitTable(readJitDump(bytes)?.codes ?? []);
    const frames = new PerfFrames(table, events, (url, line) => files.nameOf(url, line));
    const file = join(this.#folder, PERF_SAMPLES);
    const { frequency } = this.#settings;
    writeFileSync(file, `${JSON.stringify({ perf: { profiler: 'perf', events, frequency } } satisfies PerfEntry)}\n`);
    const write = (entry: PerfEntry | undefined): void => {
      if (entry !== undefined) appendFileSync(file, `${JSON.stringify(entry)}\n`);
    };
    let lost = 0;
    for await (const stack of perf.stacks(count => {
      lost += count;
    })) {
      if (stack.pid === process.pid) write(frames.add(stack));
    }
    for (const entry of frames.rest()) write(entry);
    if (lost > 0) this.#warnings.push(`perf lost ${lost} samples: the machine was too busy to take them.`);
  }
}

const sentenceOf = (error: unknown): string =>
  error instanceof VenturiError
    ? `${error.code}: ${error.message} ${error.remedy ?? ''}`.trim()
    : `VENTURI_PERF_UNAVAILABLE: ${error instanceof Error ? error.message : String(error)}`;
