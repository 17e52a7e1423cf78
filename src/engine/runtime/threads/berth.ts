import { ARRAYS_OFFSET } from '../chunk/index.ts';

/** The slot that the next part of a chunk will travel in, where arrays of it are made before the rest of it is written. */
export class Berth {
  /** Undefined: nothing was made there. */
  slot: Uint8Array | undefined;
  /** Bytes from the slot's beginning that arrays of whole batches, and of the one under way, have. */
  #used = 0;
  /** The same before the one under way. */
  #before = 0;
  #vacate: () => boolean = () => false;

  /** So many bytes of `slot`, one behind the other; from the beginning where it has nothing that is to leave. */
  lend(slot: Uint8Array | undefined, isEmpty: boolean, bytes: number, vacate: () => boolean): Uint8Array | undefined {
    if (slot === undefined) return undefined;
    const from = isEmpty || this.slot === undefined ? ARRAYS_OFFSET : this.#used;
    if (from + bytes > slot.byteLength) return undefined;
    this.slot = slot;
    this.#before = from;
    this.#used = from + bytes;
    this.#vacate = vacate;
    return slot.subarray(from, from + bytes);
  }

  /** The part leaves: what is under way is moved out. Gives the bytes of what leaves. */
  close(): number {
    if (this.slot === undefined) return 0;
    return this.#vacate() ? this.#before : this.#used;
  }

  /** The part has left. */
  clear(): void {
    this.slot = undefined;
    this.#vacate = () => false;
  }
}
