import { closeSync, openSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';

const DUMP = /jit-\d+\.dump/;
const DESCRIPTORS = '/proc/self/fd';

/**
 * V8's log of the code that it compiles (`--perf-prof`), in threads that start after it. V8 writes it into a file of the folder at hand, and takes that away as soon as it is
 * open: here it is read through the descriptor, so that nothing is left of it however the process ends.
 */
export class JitLog {
  readonly #holder: Worker;
  readonly #file: number;

  private constructor(holder: Worker, file: number) {
    this.#holder = holder;
    this.#file = file;
  }

  /** Undefined where V8 could not open its file. */
  static async begin(): Promise<JitLog | undefined> {
    // V8 does not log that code has moved, and ends the process where it must.
    for (const flag of ['--no-compact-code-space', '--perf-prof-delete-file', '--perf-prof']) setFlagsFromString(flag);
    // The file is open for as long as any thread logs: this one does nothing else.
    const holder = new Worker(`require('node:worker_threads').parentPort.on('message', () => {})`, { eval: true });
    await new Promise<void>((resolve, reject) => {
      holder.once('online', resolve);
      holder.once('error', reject);
    });
    holder.unref();
    const own = openDump();
    if (own !== undefined) return new JitLog(holder, own);
    setFlagsFromString('--no-perf-prof');
    await holder.terminate();
    return undefined;
  }

  /** All that was logged. */
  async end(): Promise<Uint8Array> {
    setFlagsFromString('--no-perf-prof');
    await this.#holder.terminate();
    const bytes = readFileSync(this.#file);
    closeSync(this.#file);
    return bytes;
  }
}

function openDump(): number | undefined {
  for (const name of readdirSync(DESCRIPTORS)) {
    try {
      const path = `${DESCRIPTORS}/${name}`;
      if (DUMP.test(readlinkSync(path))) return openSync(path, 'r');
    } catch {
      // Closed since the folder was read.
    }
  }
  return undefined;
}
