import { writevSync } from 'node:fs';
import { perWorker } from '../contract/context.ts';
import { handover } from './environment.ts';
import { type Block, gathered, type PackedElement, packElement } from './parcel.ts';
import { type Claim, SlotPool } from './slot-pool.ts';

/** A batch on its way to the main thread: where its bytes are. */
export interface Parcel extends Claim {
  readonly tree: string;
  readonly bytes: number;
  /** The slot that holds the bytes; undefined where they come along. */
  readonly slot: number | undefined;
  readonly copy: Uint8Array | undefined;
}

/** Bytes below which a batch goes through the socket: less than a third of a socket's buffer on Linux. */
const SMALL_BYTES = 64 * 1024;

/** Buffers that one call of writev(2) takes (IOV_MAX on Linux). */
const MOST_BUFFERS = 1024;

/** Runs in the lane that makes the batch: one copy, from where it lies into its slot. */
export const writeBatch = perWorker<(element: unknown) => Parcel>(({ lane, lanes, stopping }) => {
  const { pool: memory, files } = handover();
  const pool = new SlotPool(memory);
  const claimant = pool.enter(lane, lanes);
  let batches = 0;
  const call = (element: unknown): Parcel => {
    const packed = packElement(element);
    const claim = { ...claimant, batch: batches++ };
    const { tree, bytes } = packed;
    const slot = bytes < SMALL_BYTES ? undefined : written(packed, pool, claim, files, stopping);
    const copy = slot === undefined && bytes > 0 ? gathered(packed) : undefined;
    return { ...claim, tree, bytes, slot, copy };
  };
  return { call };
});

function written(
  packed: PackedElement,
  pool: SlotPool,
  claim: Claim,
  files: readonly number[],
  stopping: () => boolean,
): number | undefined {
  const slot = pool.claim(claim, packed.bytes, stopping);
  if (slot === undefined) return undefined;
  try {
    for (const block of packed.blocks) writeBlock(files[slot] ?? -1, block);
    return slot;
  } catch (error) {
    if (!NO_ROOM.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
    pool.full(slot, packed.bytes);
    return undefined;
  }
}

const NO_ROOM: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

/** All arrays of a block, one behind the other. The kernel may take fewer bytes at a time than it is given. */
function writeBlock(file: number, { offset, arrays }: Block): void {
  let position = offset;
  let left = arrays;
  while (left.length > 0) {
    let taken = writevSync(file, left.slice(0, MOST_BUFFERS), position);
    position += taken;
    let whole = 0;
    while (whole < left.length && taken >= (left[whole]?.byteLength ?? 0)) taken -= left[whole++]?.byteLength ?? 0;
    const [cut, ...rest] = left.slice(whole);
    left = cut === undefined ? [] : [cut.subarray(taken), ...rest];
  }
}
