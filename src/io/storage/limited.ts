import { setTimeout as sleep } from 'node:timers/promises';
import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads';
import { hashText, Random } from '../../math/random.ts';
import { VenturiError } from '../../model/errors.ts';
import { describe } from '../../model/option.ts';
import { localStorage } from './local.ts';
import { isOwnWorker } from './own-worker.ts';
import { allocateLine, SharedLine } from './shared-line.ts';
import type { RandomAccess, Storage } from './storage.ts';

export interface LimitedStorageOptions {
  /** What all threads together get. */
  readonly bytesPerSecond: number;
  /** Mean time until a request's first byte; each takes between half and one and a half of it. 0 where absent. */
  readonly latencyMs?: number;
  /** Same seed, same latency for the same part of the same file, whichever thread reads it and when. */
  readonly seed?: number;
  /** Tells storages apart that have all else in common; without it they are one and share its bandwidth. */
  readonly device?: string;
}

/** A clock common to all threads, and a way to wait for it. */
export interface WaitingClock {
  now(): bigint;
  waitUntil(time: bigint): void;
  sleepUntil(time: bigint): Promise<void>;
}

/**
 * The file system, slowed down to a bandwidth and a latency: for examples and tests of pipelines that wait for storage.
 * Real bytes are read, then the thread sleeps until the modelled device would have delivered them. A request is a whole
 * file, or a read of an open file that does not go on where the last one ended; going on costs no latency.
 *
 * Make it at the top of the pipeline's module or in its function: the main thread then allocates the device, and
 * workers, which import the same module, find it there.
 */
export const limitedStorage = (options: LimitedStorageOptions): Storage => limited(options, systemClock());

export function limited(options: LimitedStorageOptions, clock: WaitingClock): Storage {
  const bytesPerSecond = checked('bytesPerSecond', options.bytesPerSecond, 'above 0');
  const latency = checked('latencyMs', options.latencyMs ?? 0, 'of at least 0') * 1e6;
  const seed = options.seed ?? 0;
  const name = `limited to ${bytesPerSecond / 1e6} MB/s and ${latency / 1e6} ms`;
  const key = JSON.stringify(['venturi:storage', bytesPerSecond, latency, seed, options.device ?? '']);
  const line = new SharedLine(sharedMemory(key), bytesPerSecond);
  const device = new Device(line, latency, seed, clock);
  return {
    name: options.device === undefined ? name : `${options.device}, ${name}`,
    readFile: path => device.serve(path, 0, true, () => localStorage.readFile(path)),
    readFileAsync: path => device.serveAsync(path, () => localStorage.readFileAsync(path)),
    open: path => new LimitedFile(path, localStorage.open(path), device),
  };
}

/** More than this late, a thread was not just woken late: the machine slept, or something stopped it. */
const MOST_LAG = 50_000_000n;

class Device {
  readonly #line: SharedLine;
  readonly #latency: number;
  readonly #seed: number;
  readonly #clock: WaitingClock;
  readonly #random = new Random();
  /**
   * How much later than due this thread's last sleep ended. Its next request counts as made that much earlier, or every
   * late wake-up would come off the bandwidth: at 200 MB/s, 0.1 ms are 20 kB. Time without a request earns nothing.
   */
  #lag = 0n;

  constructor(line: SharedLine, latency: number, seed: number, clock: WaitingClock) {
    this.#line = line;
    this.#latency = latency;
    this.#seed = seed;
    this.#clock = clock;
  }

  /** `work` reads for real, while the modelled time runs already. */
  serve(path: string, position: number, isRequest: boolean, work: () => Uint8Array): Uint8Array {
    const arrival = this.#clock.now() - this.#lag;
    const bytes = work();
    const due = this.#line.book(bytes.length, arrival) + (isRequest ? this.#latencyOf(path, position) : 0n);
    const read = this.#clock.now();
    if (read >= due) {
      if (read - due < this.#lag) this.#lag = read - due;
      return bytes;
    }
    this.#clock.waitUntil(due);
    const lag = this.#clock.now() - due;
    this.#lag = lag < MOST_LAG ? lag : 0n;
    return bytes;
  }

  /** The same for a whole file, while the thread goes on with others. */
  async serveAsync(path: string, work: () => Promise<Uint8Array>): Promise<Uint8Array> {
    const arrival = this.#clock.now();
    const bytes = await work();
    await this.#clock.sleepUntil(this.#line.book(bytes.length, arrival) + this.#latencyOf(path, 0));
    return bytes;
  }

  #latencyOf(path: string, position: number): bigint {
    if (this.#latency === 0) return 0n;
    this.#random.rekey(this.#seed, hashText(path), 0, position, 0);
    return BigInt(Math.ceil(this.#latency * this.#random.between(0.5, 1.5)));
  }
}

class LimitedFile implements RandomAccess {
  readonly size: number;
  readonly #path: string;
  readonly #file: RandomAccess;
  readonly #device: Device;
  #next = -1;

  constructor(path: string, file: RandomAccess, device: Device) {
    this.#path = path;
    this.#file = file;
    this.#device = device;
    this.size = file.size;
  }

  read(into: Uint8Array, position: number): number {
    const work = (): Uint8Array => into.subarray(0, this.#file.read(into, position));
    const { length } = this.#device.serve(this.#path, position, position !== this.#next, work);
    this.#next = position + length;
    return length;
  }

  close(): void {
    this.#file.close();
  }
}

/** Workers inherit the environment data of the thread that starts them, and shared memory stays shared on the way. */
function sharedMemory(key: string): SharedArrayBuffer {
  const found = getEnvironmentData(key);
  if (found instanceof SharedArrayBuffer) return found;
  if (isOwnWorker()) {
    throw new VenturiError('VENTURI_BAD_OPTION', 'a worker made a limitedStorage() that the main thread did not make', {
      remedy:
        "make it at the top of the pipeline's file, not inside an operator's function: threads share it from there",
    });
  }
  const memory = allocateLine();
  setEnvironmentData(key, memory);
  return memory;
}

function systemClock(): WaitingClock {
  const never = new Int32Array(new SharedArrayBuffer(4));
  const now = (): bigint => process.hrtime.bigint();
  return {
    now,
    waitUntil(time) {
      for (let left = time - now(); left > 0n; left = time - now()) Atomics.wait(never, 0, 0, Number(left) / 1e6);
    },
    async sleepUntil(time) {
      // Timers go by whole milliseconds.
      for (let left = time - now(); left > 0n; left = time - now()) await sleep(Math.ceil(Number(left) / 1e6));
    },
  };
}

function checked(option: string, value: number, which: 'above 0' | 'of at least 0'): number {
  if (Number.isFinite(value) && (which === 'above 0' ? value > 0 : value >= 0)) return value;
  throw new VenturiError('VENTURI_BAD_OPTION', `limitedStorage: ${option} is ${describe(value)}`, {
    remedy: `give a number ${which}`,
  });
}
