/**
 * A source hands out elements a piece at a time. It reads synchronously where it can: then the lane's CPU clock and
 * storage counters see the work, and no thread pool hides it.
 */
export interface SourceReader {
  /** Appends at most `limit` elements; fewer only at the end or where more are not ready yet; 0 means the end. */
  read(into: unknown[], limit: number): number | Promise<number>;
  /** Share of the pass that was read, 0 to 1; undefined where the length is unknown. */
  done(): number | undefined;
  /** Files read to their end in this pass, of all it has. For sources that read one after the other. */
  files?(): { readonly read: number; readonly all: number };
  close(): void | Promise<void>;
}

export interface SourceContext {
  readonly signal: AbortSignal;
  /** Which pass over the data this is, from 0. */
  readonly epoch: number;
}

/** Starts one pass over the data. */
export type OpenSource = (context: SourceContext) => SourceReader | Promise<SourceReader>;

/** Elements of an arithmetic series are not read at all: the generated loop counts. */
export interface SeriesSource {
  readonly series: { readonly start: number; readonly step: number; readonly count: number };
}

export type SourceSpec = OpenSource | SeriesSource;

export const isSeries = (spec: SourceSpec): spec is SeriesSource => typeof spec !== 'function';
