import { VenturiError } from '../../../model/errors.ts';
import { isSeries, type OpenSource, type SourceReader, type SourceSpec } from '../../contract/source.ts';
import type { Losses } from '../calls/losses.ts';
import type { Input, Piece } from './input.ts';
import { heldBytes, type MemoryGuard } from './memory-guard.ts';
import { PassCounter, type Passes, type SavedPasses } from './pass-counter.ts';
import type { Series } from './segment.ts';

/** A piece should be worked on about this long. What is made of a series is weighed by nobody, so its pieces are shorter. */
const READ_NS = 5e6;
const COUNTED_NS = 2e6;
/** Elements read at once are held in an array; a series holds nothing. */
const MOST_READ = 1 << 16;
const MOST_COUNTED = 1 << 20;
/** All elements of a piece are in memory before the first is worked on: more than this gains nothing. */
const MOST_PIECE_BYTES = 2 ** 20;
/** Share of the memory allowance of a lane that one piece may take. */
const PIECE_SHARE = 1 / 8;

/** Elements that had been given are read again this many at a time. */
const AT_ONCE = 1024;

/** Where several calls of an async function can be under way, elements may wait this long for others. */
const PATIENCE_MS = 10;

/** What the reader of a source is given, and how many elements are read at a time, where that is not left to their work and weight alone. */
interface SourceParts extends ReaderParts {
  readonly step?: number | undefined;
  readonly mostAtOnce?: number | undefined;
}

export interface ReaderParts {
  readonly signal: AbortSignal;
  readonly memory: MemoryGuard;
  /** Where it tells what the source gave up. */
  readonly losses: Losses;
}

/** Starts pass `epoch` of a source; `from` is where its reader stood, in a run that was resumed. */
export const openReader = (
  spec: OpenSource,
  { signal, memory, losses }: ReaderParts,
  epoch: number,
  from: unknown,
): ReturnType<OpenSource> =>
  spec({
    signal,
    epoch,
    memory: memory.allowance,
    budget: memory.budget,
    relieve: () => memory.check(),
    giveUp: losses.add,
    ...(from !== undefined && { from }),
  });

/** Where a source stood: its pass, and its reader if that can tell. */
interface SavedSource {
  readonly passes: SavedPasses;
  readonly reader: unknown;
}

const shrunk = (read: number, had: number): VenturiError =>
  new VenturiError(
    'VENTURI_CHECKPOINT_STALE',
    `the source has ${read} elements, and had given ${had} when the run was saved`,
    { remedy: 'give it the data it had then, or start from the beginning' },
  );

/** The source itself, pass after pass. */
export class SourceInput implements Input {
  readonly own: boolean;
  readonly series: Series | undefined;
  readonly waited = 0;
  readonly #spec: SourceSpec;
  readonly #counter: PassCounter;
  readonly #parts: SourceParts;
  readonly #most: number;
  readonly #pieceBytes: number;
  #reader: SourceReader | undefined;
  #step = 1;
  #least = 1;
  /** Of the next piece alone. */
  #atMost = Number.POSITIVE_INFINITY;
  /** Elements of about the weight of the last ones that make a piece full. */
  #fitting = Number.POSITIVE_INFINITY;
  #wantedFrom = 0;
  /** In a run that was resumed, until the pass is open. */
  #saved: SavedSource | undefined;

  constructor(spec: SourceSpec, passes: Passes, parts: SourceParts, saved?: SavedSource) {
    const { memory, mostAtOnce = Number.POSITIVE_INFINITY } = parts;
    this.#parts = parts;
    this.#spec = spec;
    // A series is not read: the loop counts.
    this.series = isSeries(spec) ? spec.series : undefined;
    this.own = !isSeries(spec);
    this.#counter = new PassCounter(passes, saved?.passes);
    this.#saved = saved;
    this.#most = Math.min(mostAtOnce, isSeries(spec) ? MOST_COUNTED : MOST_READ);
    this.#pieceBytes = Math.min(MOST_PIECE_BYTES, memory.allowance * PIECE_SHARE);
  }

  next(): Piece | Promise<Piece> {
    const { epoch, position } = this.#counter;
    if (epoch < this.#wantedFrom) return this.#endPass();
    const fitting = this.#parts.step ?? Math.max(this.#least, Math.min(this.#step, this.#fitting));
    const step = Math.min(fitting, this.#atMost);
    this.#atMost = Number.POSITIVE_INFINITY;
    if (isSeries(this.#spec)) {
      const to = Math.min(this.#spec.series.count, position + step);
      return to === position ? this.#endPass() : this.#counter.elements(this.#spec.series, position, to);
    }
    if (this.#reader !== undefined) return this.#read(this.#reader, step);
    const from = this.#saved?.reader;
    const opened = openReader(this.#spec, this.#parts, epoch, from);
    // A source that cannot say where it is reads again what it had given.
    const had = this.#saved === undefined || from !== undefined ? 0 : position;
    this.#saved = undefined;
    if (had > 0) return this.#readAgain(opened, had, step);
    return opened instanceof Promise ? opened.then(reader => this.#read(reader, step)) : this.#read(opened, step);
  }

  async #readAgain(opened: SourceReader | Promise<SourceReader>, had: number, step: number): Promise<Piece> {
    const reader = await opened;
    this.#reader = reader;
    for (let left = had; left > 0; ) {
      const read = await reader.read([], Math.min(left, AT_ONCE));
      if (read === 0) throw shrunk(had - left, had);
      left -= read;
    }
    return this.#read(reader, step);
  }

  save(): SavedSource {
    return {
      passes: this.#counter.save(),
      reader: this.#saved === undefined ? this.#reader?.position?.() : this.#saved.reader,
    };
  }

  get warnings(): readonly string[] {
    return this.#parts.losses.warnings;
  }

  ready(): boolean {
    return true;
  }

  #read(reader: SourceReader, step: number): Piece | Promise<Piece> {
    this.#reader = reader;
    const into: unknown[] = [];
    const before = heldBytes();
    const count = this.#least > 1 ? reader.read(into, step, PATIENCE_MS) : reader.read(into, step);
    if (!(count instanceof Promise)) return this.#given(into, count, before);
    return count.then(arrived => this.#given(into, arrived, before));
  }

  #given(into: unknown[], count: number, before: number): Piece | Promise<Piece> {
    if (count === 0) return this.#endPass();
    this.#weigh(count, heldBytes() - before);
    return this.#counter.elements(into, 0, count);
  }

  /** What the elements took up, and what was used to make them. A collection in between tells nothing. */
  #weigh(count: number, grown: number): void {
    if (grown > 0) this.#fitting = Math.max(1, Math.floor((this.#pieceBytes * count) / grown));
  }

  #endPass(): Piece | Promise<Piece> {
    const closing = this.#reader?.close();
    this.#reader = undefined;
    this.#saved = undefined;
    const piece = this.#counter.endPass(isSeries(this.#spec) ? this.#spec.series.count : undefined);
    return closing instanceof Promise ? closing.then(() => piece) : piece;
  }

  atLeast(elements: number): void {
    this.#least = elements;
    this.#step = Math.max(this.#step, elements);
  }

  atMost(elements: number): void {
    this.#atMost = elements;
  }

  used(piece: Piece, ns: number): void {
    if (piece.to - piece.from < this.#step) return;
    const wanted = this.series === undefined ? READ_NS : COUNTED_NS;
    if (ns < wanted / 2) this.#step = Math.max(this.#least, Math.min(this.#most, this.#step * 2));
    else if (ns > wanted * 2) this.#step = Math.max(this.#least, this.#step >> 1);
  }

  skipTo(epoch: number): void {
    this.#wantedFrom = epoch;
  }

  async cancel(): Promise<void> {
    const reader = this.#reader;
    this.#reader = undefined;
    await reader?.close();
  }

  done(): number | undefined {
    if (isSeries(this.#spec)) return this.#counter.share(this.#counter.position / Math.max(1, this.#spec.series.count));
    return this.#counter.share(this.#reader === undefined ? 0 : this.#reader.done());
  }

  files(): number | undefined {
    const files = this.#reader?.files?.();
    return files === undefined ? undefined : this.#counter.epoch * files.all + files.read;
  }
}
