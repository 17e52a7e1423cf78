import type { Loss } from '../../io/input/loss.ts';

/**
 * A source hands out elements a piece at a time. It reads synchronously where it can: then the lane's CPU clock and
 * storage counters see the work, and no thread pool hides it.
 */
export interface SourceReader<T = unknown> {
  /**
   * Appends at most `limit` elements; fewer only at the end or where more are not ready yet; 0 means the end. What it has should not wait for
   * what it has not: `patienceMs`, where it is given, is how long it may, for several elements at a time are worth that.
   */
  read(into: T[], limit: number, patienceMs?: number): number | Promise<number>;
  /** Share of the pass that was read, 0 to 1; undefined where the length is unknown. */
  done(): number | undefined;
  /** Files read to their end in this pass, of all it has. For sources that read one after the other. */
  files?(): { readonly read: number; readonly all: number };
  /**
   * Where the next element lies, as plain data: a later pass that is opened with it as `from` goes on there. Without it a
   * resumed run reads the pass from its beginning and leaves out what it has had.
   */
  position?(): unknown;
  close(): void | Promise<void>;
}

export interface SourceContext {
  readonly signal: AbortSignal;
  /** Which pass over the data this is, from 0. */
  readonly epoch: number;
  /** Bytes the pass may hold beyond the elements it has handed out, together with what it reads ahead. */
  readonly memory: number;
  /** Bytes of memory of the whole run. */
  readonly budget: number;
  /** Where to begin, as `position` of a reader gave it. Undefined: at the beginning. */
  readonly from?: unknown;
  /** To be called as bytes arrive while elements are waited for: collects garbage before it exceeds the memory. */
  relieve(): void;
  /** Tells of what is left out because it cannot be read: it is counted, and named in a warning. */
  giveUp(loss: Loss): void;
}

/** Starts one pass over the data. */
export interface OpenSource {
  (context: SourceContext): SourceReader | Promise<SourceReader>;
  /** All files it reads, where it reads nothing else: what a cache on disk was made from can be told by them. */
  readonly files?: () => Iterable<string>;
  /** Present where parts of it can be read apart from each other. */
  readonly divided?: DividedSource;
  /** Files that cannot be read are left out. */
  readonly lenient?: boolean;
  /** It is told which pass it is for: another one may give other elements. */
  readonly told?: boolean;
  /** There is nothing left for a second pass. */
  readonly once?: boolean;
}

/** A source in parts, which follow one another as its elements do. */
export interface DividedSource {
  /** Found as they are asked for: to look for the last of them may take long. */
  parts(): Iterable<Part>;
  /** The elements of one part. It reads synchronously, and no more at once than may lie in memory. */
  read(part: Part): { read(into: unknown[], limit: number): number; close(): void };
}

/** Plain data. */
export interface Part {
  /** Share of the source that ends with it. */
  readonly done: number;
}

/**
 * Where several threads read, each takes a part of about this size. Elements keep their order: what a thread makes of its part
 * has to fit into the slot of a channel, or it would wait there until all parts before it are through.
 */
export const PART_BYTES = 256 * 1024;

export type Elements<T> = Iterable<T> | AsyncIterable<T>;

/** A source by what it gives. Its `kind` stands for it in graphs and tables. */
export interface Source<T> {
  readonly kind: string;
  /** Plain data: shown in the graph, and part of its fingerprint. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Elements in a pass, where it is known: then a run knows how far it has come. */
  readonly length?: number;
  /** Starts one pass over the data, inside a worker. A reader hands out many elements at a time and closes what it opened. */
  readonly open: (context: SourceContext) => Elements<T> | SourceReader<T> | Promise<Elements<T> | SourceReader<T>>;
}

/** Elements of an arithmetic series are not read at all: the generated loop counts. */
export interface SeriesSource {
  readonly series: { readonly start: number; readonly step: number; readonly count: number };
}

export type SourceSpec = OpenSource | SeriesSource;

/** A source that reads these files of this machine and nothing else. */
export const readingFiles = (
  open: OpenSource,
  files: () => Iterable<string>,
  { lenient = false, divided }: { readonly lenient?: boolean; readonly divided?: DividedSource | undefined } = {},
): OpenSource =>
  // Whoever reads a part has nobody to tell what is left out of it.
  Object.assign(open, { files, lenient, ...(divided === undefined || lenient ? {} : { divided }) });

export const isSeries = (spec: SourceSpec): spec is SeriesSource => typeof spec !== 'function';
