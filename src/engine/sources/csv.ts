import { CsvScanner, type Dialect, type ScannerPosition } from '../../io/formats/csv-scanner.ts';
import { type ColumnType, type CsvValue, converted, guessType } from '../../io/formats/csv-types.ts';
import type { ByteWindow } from '../../io/input/byte-window.ts';
import type { GiveUp } from '../../io/input/loss.ts';
import { VenturiError } from '../../model/errors.ts';
import { badOption, describe } from '../../model/option.ts';
import { generate } from '../compile/generated.ts';
import type { Pipeline } from '../description/pipeline.ts';
import type { Cut } from './file-parts.ts';
import { fileSource } from './file-source.ts';
import { type FileElements, filesInTurn } from './files-in-turn.ts';
import type { FileSourceOptions } from './loss-policy.ts';

export type { CsvValue } from '../../io/formats/csv-types.ts';

export interface CsvOptions extends FileSourceOptions {
  /** Left out: the first row of every file names its columns. A list: the files have no such row. false: rows are arrays. */
  readonly columns?: readonly string[] | false;
  /** One ASCII character; a comma unless told otherwise. */
  readonly delimiter?: string;
  /** One ASCII character; false where the files have no quoted fields. */
  readonly quote?: string | false;
  /**
   * 'guess': a column whose first thousand values are all numbers, or all true and false, becomes that, and must stay it;
   * empty fields in it become undefined.
   */
  readonly types?: 'text' | 'guess';
}

type Rows = Omit<CsvOptions, 'columns'> & { readonly columns: false };
type Guessed = { readonly types: 'guess' };

/** The rows of CSV files (RFC 4180, UTF-8), gzipped or not, one file after the other. Blank lines are passed over. */
export function csv(paths: string | readonly string[], options: Rows & Guessed): Pipeline<CsvValue[]>;
export function csv(paths: string | readonly string[], options: Rows): Pipeline<string[]>;
export function csv<T = Record<string, CsvValue>>(
  paths: string | readonly string[],
  options: CsvOptions & Guessed,
): Pipeline<T>;
export function csv<T = Record<string, string>>(paths: string | readonly string[], options?: CsvOptions): Pipeline<T>;
export function csv(paths: string | readonly string[], options: CsvOptions = {}): Pipeline<unknown> {
  const { columns, delimiter = ',', quote = '"', types = 'text' } = options;
  const dialect: Dialect = {
    delimiter: characterCode('delimiter', delimiter),
    quote: quote === false ? -1 : characterCode('quote', quote),
  };
  if (dialect.delimiter === dialect.quote)
    throw badOption('csv: delimiter and quote are the same', 'give two characters');
  if (types !== 'text' && types !== 'guess')
    throw badOption(`csv: types is ${describe(types)}`, `give 'text' or 'guess'`);
  if (Array.isArray(columns))
    checkNames(columns, twice => badOption(`csv: columns has ${twice} twice`, 'give each once'));
  const begin = (saved: unknown, giveUp?: GiveUp) => {
    const { guessed = [], names } = (saved ?? {}) as Partial<SavedPass>;
    const pass: Pass = { columns, guess: types === 'guess', types: new Map(guessed), names, giveUp };
    return {
      open: (window: ByteWindow, from: unknown) => new CsvRows(window, dialect, pass, from as SavedRows | undefined),
      save: (): SavedPass => ({ guessed: [...pass.types], names: pass.names }),
    };
  };
  // To know where rows begin takes a look at every byte, but making their text is most of the work.
  function* cuts(window: ByteWindow): Iterable<Cut> {
    const scanner = new CsvScanner(window, dialect);
    for (let rows = 0; ; rows++) {
      const next = scanner.position();
      yield { offset: next.offset, position: { rows, next } satisfies SavedRows };
      if (scanner.next() === 0) return;
    }
  }
  // Types are guessed from the first rows, which others do not see.
  const open = filesInTurn(types === 'guess' ? { begin } : { begin, cuts });
  return fileSource('csv', paths, options, open, { columns, delimiter, quote, types });
}

/** What the files of one pass have in common. */
interface Pass {
  readonly columns: readonly string[] | false | undefined;
  readonly guess: boolean;
  /** By name, or by position where columns have none. Empty until guessed. */
  readonly types: Map<string, ColumnType>;
  /** Of the first file. */
  names: { readonly path: string; readonly sorted: string } | undefined;
  /** Rows that do not fit are left out. */
  readonly giveUp: GiveUp | undefined;
}

interface SavedPass {
  readonly guessed: readonly (readonly [string, ColumnType])[];
  readonly names: Pass['names'];
}

/** A row in a file: by how many came before it, and where it lies unless rows before it were read ahead. */
interface SavedRows {
  readonly rows: number;
  readonly next: ScannerPosition | undefined;
}

const SAMPLED_ROWS = 1000;

interface HeldRow {
  readonly fields: readonly string[];
  readonly line: number;
}

class CsvRows implements FileElements {
  readonly #scanner: CsvScanner;
  readonly #path: string;
  readonly #pass: Pass;
  readonly #names: readonly string[] | undefined;
  readonly #make: (fields: readonly CsvValue[]) => unknown;
  readonly #fields: string[];
  /** Of the row whose number of fields the others must have. */
  readonly #model: string;
  /** Rows looked at to guess types and not handed out yet, last first. */
  #held: HeldRow[] = [];
  #types: readonly ColumnType[] | undefined;
  /** Handed out. */
  #rows = 0;

  constructor(window: ByteWindow, dialect: Dialect, pass: Pass, from: SavedRows | undefined) {
    this.#scanner = new CsvScanner(window, dialect);
    this.#path = window.file.path;
    this.#pass = pass;
    const given = pass.columns;
    // Without names the first row is an element and the measure of the others.
    const first = Array.isArray(given) ? undefined : this.#firstRow();
    this.#names = given === false ? undefined : (given ?? first?.fields ?? []);
    this.#model = Array.isArray(given) ? 'columns' : given === false ? 'the first row' : 'the header';
    this.#fields = new Array<string>(this.#names?.length ?? first?.fields.length ?? 0).fill('');
    if (given === false && first !== undefined) this.#held.push(first);
    if (given === undefined && first !== undefined) this.#checkHeader(first);
    this.#make = this.#names === undefined ? fields => fields.slice() : objectOf(this.#names);
    if (from !== undefined) this.#goOn(from);
  }

  position(): SavedRows {
    return { rows: this.#rows, next: this.#held.length === 0 ? this.#scanner.position() : undefined };
  }

  #goOn({ rows, next }: SavedRows): void {
    if (next === undefined) {
      this.read([], rows);
      return;
    }
    this.#rows = rows;
    this.#held = [];
    this.#scanner.seek(next);
  }

  read(into: unknown[], limit: number): number {
    if (this.#pass.guess && this.#types === undefined) this.#types = this.#knownTypes() ?? this.#guessTypes();
    let read = 0;
    while (read < limit && this.#held.length > 0) {
      const { fields, line } = this.#held.pop() as HeldRow;
      const typed = this.#typed(fields, line);
      if (typed === undefined) continue;
      into.push(this.#make(typed));
      read++;
    }
    while (read < limit && this.#nextRow()) {
      const typed = this.#typed(this.#fields, this.#scanner.line);
      if (typed === undefined) continue;
      into.push(this.#make(typed));
      read++;
    }
    this.#rows += read;
    return read;
  }

  /** A row that does not fit ends the run, unless it is to be left out. */
  #lose(error: VenturiError): undefined {
    const { giveUp } = this.#pass;
    if (giveUp === undefined) throw error;
    giveUp({ what: 'record', path: this.#path, error });
  }

  /** Puts the next row's fields into `#fields`; false at the end. */
  #nextRow(): boolean {
    const fields = this.#fields;
    for (;;) {
      const count = this.#scanner.next();
      if (count === 0) return false;
      if (count === fields.length) break;
      this.#lose(
        this.#bad(
          this.#scanner.line,
          `has ${counted(count)} where ${this.#model} has ${fields.length}`,
          'quote fields that hold the delimiter, or correct the row',
        ),
      );
    }
    this.#scanner.fields(fields);
    return true;
  }

  #firstRow(): HeldRow | undefined {
    const count = this.#scanner.next();
    if (count === 0) return undefined;
    const fields = new Array<string>(count).fill('');
    this.#scanner.fields(fields);
    return { fields, line: this.#scanner.line };
  }

  #checkHeader({ fields, line }: HeldRow): void {
    checkNames(fields, twice =>
      this.#bad(line, `names two columns ${twice}`, 'rename one, or name the columns with columns: [...]'),
    );
    const sorted = fields.toSorted().join('\n');
    this.#pass.names ??= { path: this.#path, sorted };
    if (this.#pass.names.sorted === sorted) return;
    throw this.#bad(line, `names other columns than ${this.#pass.names.path}`, 'read them as two sources');
  }

  #knownTypes(): ColumnType[] | undefined {
    const { types } = this.#pass;
    return types.size === 0 ? undefined : this.#fields.map((_, at) => types.get(this.#key(at)) ?? 'text');
  }

  #guessTypes(): ColumnType[] {
    const rows = this.#held;
    while (rows.length < SAMPLED_ROWS && this.#nextRow()) {
      rows.push({ fields: this.#fields.slice(), line: this.#scanner.line });
    }
    const guessed = this.#fields.map((_, at) => guessType(rows.map(({ fields }) => fields[at] ?? '')));
    if (rows.length > 0) for (const [at, type] of guessed.entries()) this.#pass.types.set(this.#key(at), type);
    rows.reverse();
    return guessed;
  }

  #key(at: number): string {
    return this.#names?.[at] ?? String(at);
  }

  /** Undefined: a row that is left out. */
  #typed(fields: readonly string[], line: number): readonly CsvValue[] | undefined {
    const types = this.#types;
    if (types === undefined) return fields;
    const values: CsvValue[] = [];
    for (const [at, text] of fields.entries()) {
      const type = types[at] ?? 'text';
      const value = converted(type, text);
      if (value === undefined && text !== '') {
        return this.#lose(
          this.#bad(
            line,
            `has ${describe(text)} in column ${describe(this.#key(at))}, whose first values are all ${type}s`,
            `read it with types: 'text' and convert the columns in a map`,
          ),
        );
      }
      values.push(value);
    }
    return values;
  }

  #bad(line: number, what: string, remedy: string): VenturiError {
    return new VenturiError('VENTURI_BAD_RECORD', `${this.#path}:${line} ${what}`, { remedy });
  }
}

/** An object literal with all keys at once is made several times faster than one that grows. */
function objectOf(names: readonly string[]): (fields: readonly CsvValue[]) => unknown {
  // Outside brackets __proto__ would not be a key.
  const keys = names.map(name => (name === '__proto__' ? '["__proto__"]' : JSON.stringify(name)));
  const pairs = keys.map((key, at) => `${key}: fields[${at}]`);
  return generate(`fields => ({ ${pairs.join(', ')} })`);
}

const counted = (fields: number): string => (fields === 1 ? '1 field' : `${fields} fields`);

function checkNames(names: readonly string[], failure: (twice: string) => VenturiError): void {
  const seen = new Set<string>();
  for (const name of names) {
    if (seen.has(name)) throw failure(describe(name));
    seen.add(name);
  }
}

function characterCode(option: string, character: string): number {
  const code = typeof character === 'string' && character.length === 1 ? character.charCodeAt(0) : -1;
  if (code >= 0 && code < 128 && character !== '\n' && character !== '\r') return code;
  throw badOption(`csv: ${option} is ${describe(character)}`, 'give one ASCII character');
}
