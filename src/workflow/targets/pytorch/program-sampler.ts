import type { ChildProcess } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import type { Writable } from 'node:stream';
import { VenturiError } from '../../../model/errors.ts';
import type { Warning } from '../../../model/warnings.ts';
import { DEFAULT_PERF, PerfProcess, type PerfSettings } from '../../../probes/samples/perf-process.ts';
import { withoutModifier } from '../../../probes/samples/sample.ts';
import { SampleWriter } from '../../../probes/samples/sample-writer.ts';
import { openRun } from '../../../store/run-reader.ts';
import { findOnPath } from '../../doctor/command.ts';

/** A shell that waits for its third channel to be closed before it becomes the program: until then perf can be attached. */
export const gated = (program: string, args: readonly string[]): readonly [string, readonly string[]] => [
  '/bin/sh',
  ['-c', 'read -r _ <&3; exec 3<&-; exec "$@"', 'venturi', program, ...args],
];

/** Whether a shell would find it; the shell that waits in its place could not say so any more. */
export function isStartable(program: string): boolean {
  if (!program.includes('/')) return findOnPath(program) !== undefined;
  try {
    accessSync(program, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Samples of a program that is being recorded. Where they cannot be taken it says why, and the recording goes on. */
export class ProgramSampler {
  readonly warnings: Warning[] = [];
  readonly #folder: string;
  readonly #settings: PerfSettings;
  #attaching: Promise<PerfProcess | undefined> = Promise.resolve(undefined);

  constructor(folder: string, settings: PerfSettings) {
    this.#folder = folder;
    this.#settings = settings;
  }

  /** Attaches to a gated program and lets it go. */
  async attach(child: ChildProcess): Promise<void> {
    const [, , , channel] = child.stdio;
    const gate = channel as Writable | null | undefined;
    gate?.on('error', () => {});
    this.#attaching = child.pid === undefined ? Promise.resolve(undefined) : this.#start(child.pid);
    await this.#attaching;
    gate?.end('\n');
  }

  async #start(pid: number): Promise<PerfProcess | undefined> {
    const { events } = DEFAULT_PERF;
    const isPlain = this.#settings.events.join() === events.join();
    let fault: unknown;
    // Events that do not exist here are told apart from perf not working at all: the clock is always there.
    for (const settings of isPlain ? [this.#settings] : [this.#settings, { ...this.#settings, events }]) {
      try {
        return await PerfProcess.attach(pid, this.#folder, settings);
      } catch (error) {
        fault ??= error;
      }
    }
    this.#warn(fault);
    return undefined;
  }

  /** The program has ended. */
  async stop(): Promise<void> {
    await (await this.#attaching)?.stop();
  }

  /** Puts the samples into the run, once its lanes are complete; gives their number. */
  async keep(): Promise<number | undefined> {
    const perf = await this.#attaching;
    if (perf === undefined) return undefined;
    try {
      const { lanes } = openRun(this.#folder);
      const threads = lanes.filter(({ name }) => name !== 'host');
      const events = await perf.events();
      const missing = this.#settings.events.map(withoutModifier).filter(event => !events.includes(event));
      if (missing.length > 0) {
        this.#say(`${missing.join(', ')} cannot be sampled here: the samples are of ${events.join(', ')}.`);
      }
      const { frequency } = this.#settings;
      const writer = new SampleWriter(this.#folder, threads, { profiler: 'perf', events, frequency });
      for await (const sample of perf.samples(lost => writer.lose(lost))) writer.add(sample);
      for (const line of writer.close()) this.#say(line);
      perf.discard();
      return writer.samples;
    } catch (error) {
      this.#warn(error);
      return undefined;
    }
  }

  #say(message: string): void {
    this.warnings.push({ code: 'VENTURI_WARN_PERF', message });
  }

  #warn(error: unknown): void {
    // Whatever happens to perf, the recording goes on.
    if (!(error instanceof VenturiError)) {
      this.#say(`VENTURI_PERF_UNAVAILABLE: ${error instanceof Error ? error.message : String(error)}`);
      return;
    }
    this.#say(`${error.code}: ${error.message} ${error.remedy ?? ''}`.trim());
  }
}
