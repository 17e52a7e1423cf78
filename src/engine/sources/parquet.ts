import type { ParquetFile } from '../../io/formats/parquet-file.ts';
import type { ParquetGroup } from '../../io/formats/parquet-group.ts';
import { type BuildRow, rowBuilder } from '../../io/formats/parquet-row.ts';
import { entryOf, sizeOf } from '../../io/input/file-entry.ts';
import { isLoss } from '../../io/input/loss.ts';
import { localStorage } from '../../io/storage/local.ts';
import type { Storage } from '../../io/storage/storage.ts';
import { type OpenSource, readingFiles, type SourceContext, type SourceReader } from '../contract/source.ts';
import type { Pipeline } from '../description/pipeline.ts';
import { fileSource } from './file-source.ts';
import type { FileSourceOptions } from './loss-policy.ts';

export interface ParquetOptions extends FileSourceOptions {
  /** Only these, by their top-level names, in this order; the others are not read. All where absent. */
  readonly columns?: readonly string[];
  /** Where the files lie. The file system where absent. */
  readonly storage?: Storage;
}

/**
 * The rows of Parquet files as objects. In memory is one row group at a time, of the chosen columns, decoded; of one too
 * large for the run's memory, a few pages of each column. Lists and structures are always decoded whole. 64-bit integers come as bigint, dates and timestamps as Date, byte arrays as Uint8Array, nulls as null.
 */
export function parquet<T = Record<string, unknown>>(
  paths: string | readonly string[],
  options: ParquetOptions = {},
): Pipeline<T> {
  const { columns, storage = localStorage } = options;
  const openAll = (list: readonly string[], lenient: boolean): OpenSource => {
    const table: Table = { paths: list, columns, storage, lenient };
    const open = (context: SourceContext): SourceReader => new ParquetReader(table, context);
    // Of another storage nobody knows what its paths stand for.
    return storage === localStorage ? readingFiles(open, () => list, { lenient }) : open;
  };
  return fileSource('parquet', paths, options, openAll, { columns, storage: options.storage?.name });
}

interface SavedRow {
  readonly file: number;
  readonly group: number;
  readonly row: number;
}

interface Table {
  readonly paths: readonly string[];
  readonly columns: readonly string[] | undefined;
  readonly storage: Storage;
  readonly lenient: boolean;
}

class ParquetReader implements SourceReader {
  readonly #table: Table;
  readonly #weights: readonly number[];
  readonly #total: number;
  #before = 0;
  #next = 0;
  #file: ParquetFile | undefined;
  readonly #context: SourceContext;
  /** Makes builders of rows from columns. */
  #builder: ReturnType<typeof rowBuilder> | undefined;
  #group = 0;
  #rowGroup: ParquetGroup | undefined;
  #build: BuildRow | undefined;
  #row = 0;
  #rows = 0;
  /** Where in the first file to begin, and the rows of its first row group still to be passed over. */
  #first: SavedRow | undefined;
  #had = 0;

  constructor(table: Table, context: SourceContext) {
    const { paths, storage, lenient } = table;
    this.#context = context;
    this.#table = table;
    const size = (path: string): number => (lenient ? sizeOf(path) : entryOf(path).size);
    this.#weights = paths.map(storage === localStorage ? size : () => 1);
    this.#total = this.#weights.reduce((sum, weight) => sum + weight, 0);
    const from = context.from as SavedRow | undefined;
    if (from === undefined) return;
    this.#next = from.file;
    this.#first = from;
    this.#before = this.#weights.slice(0, from.file).reduce((sum, weight) => sum + weight, 0);
  }

  position(): SavedRow {
    // Not opened yet: it is still where it was told to begin.
    if (this.#file === undefined) return this.#first ?? { file: this.#next, group: 0, row: 0 };
    const file = this.#next - 1;
    if (this.#rowGroup === undefined) return { file, group: this.#group, row: this.#had };
    return { file, group: this.#group - 1, row: this.#rowGroup.given - this.#rows + this.#row };
  }

  read(into: unknown[], limit: number): number | Promise<number> {
    return this.#row < this.#rows ? this.#take(into, limit) : this.#load().then(() => this.#take(into, limit));
  }

  #take(into: unknown[], limit: number): number {
    const build = this.#build;
    if (build === undefined) return 0;
    const end = Math.min(this.#rows, this.#row + limit);
    const count = end - this.#row;
    for (; this.#row < end; this.#row++) into.push(build(this.#row));
    return count;
  }

  /** The next rows that lie in memory together; none at the end. */
  async #load(): Promise<void> {
    this.#build = undefined;
    this.#row = 0;
    this.#rows = 0;
    while (this.#rows === 0) {
      try {
        if (!(await this.#loadFrom())) return;
      } catch (error) {
        this.#lose(error);
      }
    }
  }

  /** One step on the way to rows; false where no file is left. */
  async #loadFrom(): Promise<boolean> {
    const file = this.#file ?? (await this.#openNext());
    if (file === undefined) return false;
    const rowGroup = this.#rowGroup ?? (await this.#openGroup(file));
    if (rowGroup === undefined) {
      this.#before += this.#weights[this.#next - 1] ?? 0;
      this.close();
      return true;
    }
    const { columns, count } = await rowGroup.next();
    const had = Math.min(this.#had, count);
    this.#had -= had;
    if (count > had) this.#build = this.#builder?.(columns);
    else if (count === 0) this.#rowGroup = undefined;
    this.#rows = count > had ? count : 0;
    this.#row = count > had ? had : 0;
    return true;
  }

  /** Goes on behind the file, where that is wanted. */
  #lose(error: unknown): void {
    const path = this.#table.paths[this.#next - 1];
    if (!this.#table.lenient || path === undefined || !isLoss(error)) throw error;
    this.#context.giveUp({ what: 'file', path, error });
    this.#before += this.#weights[this.#next - 1] ?? 0;
    this.close();
  }

  async #openGroup(file: ParquetFile): Promise<ParquetGroup | undefined> {
    if (this.#group === file.groups.length) return undefined;
    this.#rowGroup = await file.group(this.#group++, this.#context);
    return this.#rowGroup;
  }

  async #openNext(): Promise<ParquetFile | undefined> {
    const path = this.#table.paths[this.#next++];
    if (path === undefined) return undefined;
    this.#group = this.#first?.group ?? 0;
    this.#had = this.#first?.row ?? 0;
    this.#first = undefined;
    // Loaded by those who use it: a Parquet reader is more than most pipelines need.
    const parquetFile = await import('../../io/formats/parquet-file.ts');
    this.#file = await parquetFile.ParquetFile.open(path, this.#table.columns, this.#table.storage);
    this.#builder = rowBuilder(this.#file.columns);
    return this.#file;
  }

  /** By bytes on the file system; elsewhere, where sizes are not known beforehand, files count alike. */
  done(): number {
    const file = this.#file;
    const weight = file === undefined ? 0 : (this.#weights[this.#next - 1] ?? 0);
    const given = (this.#rowGroup?.given ?? 0) - this.#rows + this.#row;
    const inFile = file === undefined ? 0 : file.share(this.#group - 1, given);
    return (this.#before + weight * inFile) / Math.max(1, this.#total);
  }

  close(): void {
    this.#file?.close();
    this.#file = undefined;
    this.#rowGroup = undefined;
  }
}
