import { closeSync, constants, readSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { openRegular } from '../../files/regular-file.ts';

/** Node has it; its types come with the DOM's alone. */
declare const WebAssembly: {
  readonly Memory: new (size: { readonly initial: number }) => { readonly buffer: ArrayBuffer };
};

/** What is read at once. */
export interface Block {
  readonly path: string;
  readonly position: number;
  readonly length: number;
}

/** What a thread of the benchmark is told. */
export interface DiskReaderOrder {
  readonly blocks: readonly Block[];
  readonly blockBytes: number;
  readonly direct: boolean;
  /** Words: the next block to read, whether to stop, bytes read in units of `UNIT`. */
  readonly shared: SharedArrayBuffer;
}

export const WORDS = { next: 0, stop: 1, units: 2 } as const;
/** Bytes are counted in these, so that 32 bits reach for terabytes. */
export const UNIT = 4096;

const PAGE = 65_536;

/** Claims blocks and reads them until it is told to stop. */
function readBlocks({ blocks, blockBytes, direct, shared }: DiskReaderOrder): void {
  const words = new Int32Array(shared);
  // Direct reads want memory that begins at a page. Of what a program can get here, a WebAssembly memory does.
  const memory = new WebAssembly.Memory({ initial: Math.ceil(blockBytes / PAGE) });
  const buffer = new Uint8Array(memory.buffer);
  const flags = direct ? constants.O_DIRECT : 0;
  const files = new Map<string, number>();
  try {
    while (Atomics.load(words, WORDS.stop) === 0) {
      const block = blocks[Atomics.add(words, WORDS.next, 1) % blocks.length];
      if (block === undefined) return;
      const { path, position, length } = block;
      const fd = files.get(path) ?? openRegular(path, flags);
      files.set(path, fd);
      Atomics.add(words, WORDS.units, Math.floor(readSync(fd, buffer, 0, length, position) / UNIT));
    }
  } finally {
    for (const fd of files.values()) closeSync(fd);
  }
}

if (parentPort !== null) {
  readBlocks(workerData as DiskReaderOrder);
  parentPort.postMessage('done');
}
