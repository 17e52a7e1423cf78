import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { VenturiError } from '../../model/errors.ts';
import { linesOf } from './lines.ts';
import { notLinux, perfFault, perfMissing } from './perf-fault.ts';
import { lostIn, parsePerfLine, SCRIPT_ARGUMENTS } from './perf-script.ts';
import { type PerfStack, PerfStacks, STACK_ARGUMENTS } from './perf-stacks.ts';
import { type Sample, withoutModifier } from './sample.ts';

export interface PerfSettings {
  /** As perf names them. */
  readonly events: readonly string[];
  /** Samples per second of each thread that is on a core. */
  readonly frequency: number;
  /** With the stack of each, by frame pointers, and the address of data where an event tells it. */
  readonly hasStacks?: boolean;
}

/** The CPU clock exists on every machine, hardware counters do not. An odd frequency avoids lockstep with timers. */
export const DEFAULT_PERF: PerfSettings = { events: ['cpu-clock'], frequency: 999 };

/** perf gets this long to attach, and to write what it has. */
const ATTACH_MS = 15_000;
const STOP_MS = 60_000;

/**
 * `perf record` beside a program. It is attached to a process that waits, so that nothing of it is missed, and from there
 * follows every thread and process that one starts. Its clock is the run's: with perf's own, a third of the samples land in
 * the wrong span.
 */
export class PerfProcess {
  readonly settings: PerfSettings;
  readonly #file: string;
  readonly #child: ChildProcess;
  readonly #ended: Promise<void>;
  #said = '';
  #isOver = false;

  private constructor(pid: number, folder: string, settings: PerfSettings) {
    this.settings = settings;
    this.#file = join(folder, 'perf.data');
    const args = [
      'record',
      ...['-p', String(pid), '-k', 'CLOCK_MONOTONIC', '-F', String(settings.frequency)],
      ...settings.events.flatMap(event => ['-e', event]),
      ...(settings.hasStacks === true ? ['--call-graph', 'fp', '-d'] : []),
      // Neither hashes of all libraries at the end nor copies of them in the user's home.
      ...['-B', '-N', '-q', '-o', this.#file],
      // Switched on once it is in place, which it confirms.
      ...['-D', '-1', '--control', 'fd:3,4'],
    ];
    // A group of its own: Ctrl-C is for the program.
    this.#child = spawn('perf', args, { stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'], detached: true });
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#said = (this.#said + text).slice(-4000);
    });
    this.#ended = new Promise(resolve => {
      const over = (): void => {
        this.#isOver = true;
        resolve();
      };
      this.#child.on('error', error => {
        this.#said += 'code' in error && error.code === 'ENOENT' ? 'ENOENT' : error.message;
        over();
      });
      this.#child.on('close', over);
    });
    for (const stream of this.#child.stdio) stream?.on('error', () => {});
  }

  /** Attaches to a process; resolves once samples are taken, and throws a coded error where they cannot be. */
  static async attach(pid: number, folder: string, settings: PerfSettings): Promise<PerfProcess> {
    if (process.platform !== 'linux') throw notLinux();
    const perf = new PerfProcess(pid, folder, settings);
    const [control, answers] = [perf.#child.stdio[3], perf.#child.stdio[4]];
    const acknowledged = new Promise<boolean>(resolve => answers?.once('data', () => resolve(true)));
    (control as Writable | null | undefined)?.write('enable\n');
    const isOn = await Promise.race([
      acknowledged,
      perf.#ended.then(() => false),
      setTimeout(ATTACH_MS, false, { ref: false }),
    ]);
    if (isOn) return perf;
    await perf.#end('SIGKILL');
    perf.discard();
    throw perf.#said.endsWith('ENOENT') ? perfMissing() : perfFault(perf.#said);
  }

  /** Lets perf write what it has. */
  async stop(): Promise<void> {
    await this.#end('SIGINT');
  }

  async #end(signal: 'SIGINT' | 'SIGKILL'): Promise<void> {
    if (this.#isOver) return;
    this.#child.kill(signal);
    await Promise.race([this.#ended, setTimeout(STOP_MS, undefined, { ref: false })]);
    if (!this.#isOver) this.#child.kill('SIGKILL');
    await this.#ended;
  }

  /** What was really sampled: where there is no hardware counter, perf takes the CPU clock for `cycles` and does not say so. */
  async events(): Promise<string[]> {
    const { stdout } = await promisify(execFile)('perf', ['evlist', '-i', this.#file]);
    const names = stdout.split('\n').filter(line => line !== '' && !line.startsWith('#') && !line.startsWith('dummy'));
    return names.map(withoutModifier);
  }

  /** Its samples in the order of time, after `stop`; `onLost` is told of samples the kernel had no room for. */
  async *samples(onLost: (count: number) => void): AsyncGenerator<Sample, void, undefined> {
    for await (const line of this.#printed(SCRIPT_ARGUMENTS)) {
      const parsed = parsePerfLine(line);
      if (parsed === undefined) continue;
      if ('lost' in parsed) onLost(parsed.lost);
      else yield parsed.sample;
    }
  }

  /** The same with stacks, of a process that was attached with them. */
  async *stacks(onLost: (count: number) => void): AsyncGenerator<PerfStack, void, undefined> {
    const stacks = new PerfStacks();
    for await (const line of this.#printed(STACK_ARGUMENTS)) {
      const lost = lostIn(line);
      if (lost !== undefined) onLost(lost);
      const stack = stacks.line(line);
      if (stack !== undefined) yield stack;
    }
    const last = stacks.end();
    if (last !== undefined) yield last;
  }

  async *#printed(args: readonly string[]): AsyncGenerator<string, void, undefined> {
    const script = spawn('perf', [...args, '-i', this.#file], { stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    script.stderr.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-4000);
    });
    const status = new Promise<number | null>((resolve, reject) => {
      script.on('error', reject);
      script.on('close', resolve);
    });
    status.catch(() => {});
    yield* linesOf(script.stdout.setEncoding('utf8'));
    if ((await status) !== 0) {
      throw new VenturiError(
        'VENTURI_PERF_UNAVAILABLE',
        `The samples in ${this.#file} cannot be read: ${said.trim()}`,
        {
          remedy: 'Look at them with: perf script -i perf.data. The recording itself is whole.',
        },
      );
    }
  }

  /** Takes its own file away, once it is no longer needed. */
  discard(): void {
    for (const file of [this.#file, `${this.#file}.old`]) rmSync(file, { force: true });
  }
}
