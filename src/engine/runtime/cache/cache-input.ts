import { VenturiError } from '../../../model/errors.ts';
import { BEGINNING, type Position } from '../books/position.ts';
import { ChunkDecoder } from '../chunk/index.ts';
import { JoinInput } from '../joins/join-input.ts';
import type { Port } from '../joins/port.ts';
import type { Piece } from '../stage/input.ts';
import type { Passes, SavedPasses } from '../stage/pass-counter.ts';
import type { ChunkStore } from './chunk-store.ts';
import { Gatherer } from './gatherer.ts';

export interface CacheParts {
  readonly id: string;
  readonly port: Port;
  readonly passes: Passes;
  /** Where its elements are kept; called when the first is asked for. */
  readonly open: () => ChunkStore;
  readonly limit: number;
  /** Where it stood, in a run that was resumed. */
  readonly saved: SavedPasses | undefined;
}

/**
 * Elements of its input, kept on their way: every pass first gives what is kept and then goes on reading where the pass
 * before it stopped, until the input has ended.
 */
export class CacheInput extends JoinInput {
  readonly #parts: CacheParts;
  readonly #decoder = new ChunkDecoder();
  #opened: { readonly store: ChunkStore; readonly gatherer: Gatherer } | undefined;
  #leastElements = 1;
  /** Elements kept. */
  #kept = 0;
  /** Elements still to come that had been given when the run was saved. */
  #had: number;

  constructor(parts: CacheParts) {
    super([parts.port], parts.passes, parts.saved && { passes: parts.saved, turn: undefined });
    this.#parts = parts;
    this.#had = parts.saved?.position ?? 0;
  }

  override save(): SavedPasses {
    return this.counter.save();
  }

  /** What it kept is gone when the run is, unless it is whole and on disk: a resumed run keeps it anew, from the beginning. */
  override taken(): readonly Position[] {
    return [BEGINNING];
  }

  get warnings(): readonly string[] {
    return this.#opened?.store.warnings ?? [];
  }

  #open(): { readonly store: ChunkStore; readonly gatherer: Gatherer } {
    if (this.#opened === undefined) {
      const store = this.#parts.open();
      this.#opened = { store, gatherer: new Gatherer(store, this.#leastElements) };
    }
    return this.#opened;
  }

  protected override gather(): Piece | Promise<Piece> {
    for (;;) {
      const piece = this.#next();
      if (piece !== undefined) return piece;
    }
  }

  /** Undefined: what came had been given already. */
  #next(): Piece | Promise<Piece> | undefined {
    const { store } = this.#open();
    const kept = store.next();
    if (kept === undefined) return store.whole === undefined ? this.#read() : this.endPass();
    const { values } = this.#decoder.decode(kept);
    return this.#give(values, 0, values.length);
  }

  /** Leaves out what had been given of this pass when the run was saved. */
  #give(values: ArrayLike<unknown>, from: number, to: number): Piece | undefined {
    const had = Math.min(this.#had, to - from);
    this.#had -= had;
    return had === to - from && had > 0 ? undefined : this.counter.elements(values, from + had, to);
  }

  #read(): Piece | Promise<Piece> | undefined {
    const { port } = this.#parts;
    const filling = port.fill();
    if (filling instanceof Promise) return filling.then(() => this.next());
    const { store, gatherer } = this.#open();
    if (port.over === 'closed') {
      store.close();
      return this.counter.closed();
    }
    if (port.over !== undefined) {
      gatherer.flush();
      store.complete(this.#kept);
      return this.endPass();
    }
    const { values, at, to } = port;
    port.at = to;
    this.#keep(gatherer, values as readonly unknown[], at, to);
    return this.#give(values, at, to);
  }

  #keep(gatherer: Gatherer, values: readonly unknown[], from: number, to: number): void {
    const { id, limit } = this.#parts;
    try {
      gatherer.add(values, from, to);
    } catch (error) {
      if (!(error instanceof VenturiError) || error.code !== 'VENTURI_NOT_CLONEABLE') throw error;
      throw new VenturiError(error.code, `'${id}' cannot keep what it is given: ${error.message}`, {
        cause: error,
        remedy: error.remedy,
      });
    }
    this.#kept += to - from;
    if (gatherer.bytes > limit) throw full(id, limit, this.#kept, gatherer.bytes);
  }

  protected override endPass(): Piece | Promise<Piece> {
    this.#had = 0;
    const { last } = this.counter;
    const piece = this.counter.endPass();
    if (last) return whenDone(this.#close(), piece);
    this.#opened?.gatherer.flush();
    this.#opened?.store.rewind();
    return piece;
  }

  #close(): void | Promise<void> {
    this.#opened?.store.close();
    return this.#parts.port.cancel();
  }

  override ready(): boolean {
    return this.#opened?.store.whole !== undefined || this.#parts.port.ready;
  }

  override atLeast(elements: number): void {
    this.#leastElements = elements;
    super.atLeast(elements);
  }

  override async cancel(): Promise<void> {
    await this.#close();
  }

  /** Of all its passes, once it is known how many elements one has. */
  done(): number | undefined {
    const whole = this.#opened?.store.whole;
    return whole === undefined ? undefined : this.counter.share(this.counter.position / Math.max(1, whole));
  }
}

const whenDone = (closing: void | Promise<void>, piece: Piece): Piece | Promise<Piece> =>
  closing instanceof Promise ? closing.then(() => piece) : piece;

const mebibytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MiB`;

const full = (id: string, limit: number, elements: number, bytes: number): VenturiError =>
  new VenturiError(
    'VENTURI_CACHE_FULL',
    `'${id}' would keep ${mebibytes(bytes)} after ${elements} elements, and its limit is ${mebibytes(limit)}`,
    {
      remedy:
        'raise its limit, keep the elements on disk with cache({ folder }), or cache further upstream, where elements are smaller or fewer',
    },
  );
