import { ClonedWriter } from './cloned.ts';
import { Describer } from './description.ts';
import { isFaithful } from './faithful.ts';
import * as layout from './layout.ts';
import type { Look } from './look.ts';
import { packedSlots } from './packed.ts';
import type { Scratch } from './scratch.ts';
import { CloneFailure } from './uncloneable.ts';

/** What a chunk ends with: V8's own serialisation of columns that have no type of ours, in their order. */
export class ClonedSection {
  readonly #scratch: Scratch;
  readonly #look: Look;
  #writer: ClonedWriter | undefined;
  #describer: Describer | undefined;

  constructor(scratch: Scratch, look: Look) {
    this.#scratch = scratch;
    this.#look = look;
  }

  /** Starts the section of another chunk. */
  clear(): void {
    this.#writer = undefined;
    this.#describer = undefined;
  }

  /** A column of strings; false where some value is none. */
  strings(values: readonly unknown[], from: number, to: number): boolean {
    const strings = packedSlots(to - from);
    for (let i = from; i < to; i++) {
      const value = values[i];
      if (typeof value !== 'string') return false;
      strings[i - from] = value;
    }
    this.#write(layout.CLONED, strings);
    return true;
  }

  /** A column of anything: as it is where V8's copy would be equal, else what describes it. */
  column(values: readonly unknown[], from: number, to: number): void {
    const list = packedSlots(to - from);
    for (let i = from; i < to; i++) list[i - from] = values[i];
    if (isFaithful(list, this.#look)) {
      this.#write(layout.CLONED, list);
      return;
    }
    this.#describer ??= new Describer();
    const described = packedSlots(to - from);
    try {
      for (let i = from; i < to; i++) described[i - from] = this.#describer.describe(values[i]);
    } catch (cause) {
      throw new CloneFailure(cause);
    }
    this.#write(layout.DESCRIBED, described);
  }

  /** `list` is packed: V8 writes an array that may have holes item by item, under its index. */
  #write(kind: number, list: readonly unknown[]): void {
    this.#scratch.head(kind, list.length);
    this.#writer ??= new ClonedWriter();
    try {
      this.#writer.writeValue(list);
    } catch (cause) {
      throw new CloneFailure(cause);
    }
  }

  /** Writes the section behind all columns; gives its length. */
  append(): number {
    if (this.#writer === undefined) return 0;
    const bytes = this.#writer.releaseBuffer();
    this.#writer = undefined;
    const at = this.#scratch.take(bytes.byteLength);
    this.#scratch.u8.set(bytes, at);
    return bytes.byteLength;
  }
}
