import { closeSync, constants, fsyncSync, openSync, readdirSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { openRegular } from '../../files/regular-file.ts';
import type { DiskMeasurement, DiskPoint } from '../../model/disk.ts';
import { VenturiError } from '../../model/errors.ts';
import { type Block, type DiskReaderOrder, UNIT, WORDS } from './disk-reader.ts';
import { parseIo } from './process-sampler.ts';
import { readText } from './text-reader.ts';

export interface DiskBenchmarkOptions {
  /** A folder on the storage in question; files in it are read, none is changed. */
  readonly folder: string;
  readonly readers?: readonly number[];
  readonly secondsEach?: number;
  /** Bytes of a read. */
  readonly blockBytes?: number;
  readonly signal?: AbortSignal;
  onStep?(point: DiskPoint): void;
}

const READERS = [1, 2, 4, 8, 16] as const;
const SECONDS_EACH = 0.7;
const BLOCK_BYTES = 2 ** 20;
/** With less than this to read, the same bytes would come again and again; then a file is made for the purpose. */
const ENOUGH_BYTES = 128 * 2 ** 20;
const MOST_BYTES = 4 * 2 ** 30;
const MOST_FILES = 2000;
const COLD = 0.9;

/** Bandwidth of a folder's storage against the number of threads that read from it at once. */
export async function benchmarkDisk(options: DiskBenchmarkOptions): Promise<DiskMeasurement> {
  const { folder, readers = READERS, secondsEach = SECONDS_EACH, blockBytes = BLOCK_BYTES } = options;
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new VenturiError('VENTURI_SOURCE_UNREADABLE', `There is no folder ${folder}.`, {
      remedy: 'Name a folder on the storage to measure: the one with your data.',
    });
  }
  let blocks = blocksIn(folder, blockBytes);
  const own = join(folder, `.venturi-disk-${process.pid}`);
  const isOwn = sizeOf(blocks) < ENOUGH_BYTES;
  try {
    if (isOwn) blocks = makeFile(own, blockBytes);
    const [first] = blocks;
    const direct = first !== undefined && readsDirectly(first.path);
    const before = fetchedBytes();
    const points: DiskPoint[] = [];
    let bytes = 0;
    for (const count of readers) {
      if (options.signal?.aborted === true) break;
      const read = await readFor(secondsEach, count, { blocks, blockBytes, direct }, bytes === 0);
      bytes += read.bytes;
      const point = { readers: count, bytesPerSecond: Math.max(1, read.bytes / read.seconds) };
      points.push(point);
      options.onStep?.(point);
    }
    const after = fetchedBytes();
    const fetched =
      before === undefined || after === undefined || bytes === 0 ? undefined : Math.min(1, (after - before) / bytes);
    const files = new Set(blocks.map(({ path }) => path)).size;
    return { points, cold: fetched === undefined ? direct : fetched >= COLD, direct, fetched, files, bytes };
  } finally {
    if (isOwn) rmSync(own, { force: true });
  }
}

const fetchedBytes = (): number | undefined => parseIo(readText('/proc/self/io') ?? '')?.fetched;

const sizeOf = (blocks: readonly Block[]): number => blocks.reduce((sum, { length }) => sum + length, 0);

/** Whole blocks of the files in a folder. Direct reads take nothing less. */
function blocksIn(folder: string, blockBytes: number): Block[] {
  const blocks: Block[] = [];
  let total = 0;
  let files = 0;
  const visit = (place: string): void => {
    for (const entry of readdirSync(place, { withFileTypes: true })) {
      if (total >= MOST_BYTES || files >= MOST_FILES) return;
      const path = join(place, entry.name);
      if (entry.isDirectory()) visit(path);
      if (!entry.isFile()) continue;
      const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
      files++;
      for (let position = 0; position + blockBytes <= size && total < MOST_BYTES; position += blockBytes) {
        blocks.push({ path, position, length: blockBytes });
        total += blockBytes;
      }
    }
  };
  try {
    visit(folder);
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error;
  }
  return blocks;
}

function makeFile(path: string, blockBytes: number): Block[] {
  const fd = openSync(path, 'wx');
  const bytes = new Uint8Array(blockBytes);
  const blocks: Block[] = [];
  try {
    for (let position = 0; position < ENOUGH_BYTES; position += blockBytes) {
      // Not zeros: some storage does not keep those.
      for (let at = 0; at < blockBytes; at += 64) bytes[at] = (position + at * 31) & 255;
      writeSync(fd, bytes, 0, blockBytes, position);
      blocks.push({ path, position, length: blockBytes });
    }
    fsyncSync(fd);
  } catch (error) {
    throw new VenturiError(
      'VENTURI_SOURCE_UNREADABLE',
      `There is too little in the folder to read, and a file to read cannot be made there: ${(error as Error).message}`,
      {
        remedy: 'Name a folder with at least 128 MB in it, or one that can be written to.',
        cause: error,
      },
    );
  } finally {
    closeSync(fd);
  }
  return blocks;
}

/** Not every file system reads past the page cache. */
function readsDirectly(path: string): boolean {
  try {
    closeSync(openRegular(path, constants.O_DIRECT));
    return true;
  } catch {
    return false;
  }
}

/** Threads need a moment to start, which must not count: the clock runs once bytes arrive. */
async function readFor(
  seconds: number,
  count: number,
  order: Omit<DiskReaderOrder, 'shared'>,
  isFirst: boolean,
): Promise<{ bytes: number; seconds: number }> {
  const shared = new SharedArrayBuffer(4 * Object.keys(WORDS).length);
  const words = new Int32Array(shared);
  // Buffered reads of one step must not find what the step before brought into the page cache.
  if (!isFirst) words[WORDS.next] = Math.floor(Math.random() * order.blocks.length);
  const workers = Array.from(
    { length: count },
    () => new Worker(new URL('./disk-reader.js', import.meta.url), { workerData: { ...order, shared } }),
  );
  const ends = workers.map(
    worker =>
      new Promise<void>((resolve, reject) => {
        worker.once('error', reject);
        worker.once('exit', () => resolve());
      }),
  );
  const failed = Promise.all(ends);
  const read = (): number => Atomics.load(words, WORDS.units) * UNIT;
  const sleep = (ms: number): Promise<unknown> =>
    Promise.race([new Promise(resolve => setTimeout(resolve, ms)), failed]);
  try {
    await Promise.race([
      Promise.all(workers.map(worker => new Promise(resolve => worker.once('online', resolve)))),
      failed,
    ]);
    await sleep(100);
    const began = performance.now();
    const from = read();
    await sleep(seconds * 1000);
    const bytes = read() - from;
    return { bytes, seconds: (performance.now() - began) / 1000 };
  } finally {
    Atomics.store(words, WORDS.stop, 1);
    await failed;
  }
}
