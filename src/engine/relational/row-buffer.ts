import type { Coder, Value } from './coder.ts';
import type { ColumnFacts } from './plan.ts';

type Storage = 'Float64Array' | 'Int32Array' | 'Uint8Array' | 'Array';

const BYTES: Readonly<Record<Storage, number>> = { Float64Array: 8, Int32Array: 4, Uint8Array: 1, Array: 8 };

interface StoredColumn {
  readonly facts: ColumnFacts;
  readonly storage: Storage;
  /** Its property of the stored rows; that of its nulls is `${slot}n`. */
  readonly slot: string;
}

/** Rows that a few start with before their memory is doubled. */
const FIRST_ROWS = 1024;

/** A text without a list is kept as a text, one with a list by its place. */
const storageOf = ({ type, dictionary, isWhole }: ColumnFacts): Storage => {
  if (type === 'number') return isWhole ? 'Int32Array' : 'Float64Array';
  if (type === 'boolean') return 'Uint8Array';
  return type === 'date' || dictionary !== undefined ? 'Int32Array' : 'Array';
};

/** Rows that one pipeline keeps and others read: a column each, in memory that grows. */
export class RowBuffer {
  readonly name: string;
  readonly #columns: ReadonlyMap<string, StoredColumn>;

  constructor(name: string, columns: ReadonlyMap<string, ColumnFacts>) {
    this.name = name;
    this.#columns = new Map(
      [...columns].map(([column, facts], at) => [column, { facts, storage: storageOf(facts), slot: `c${at}` }]),
    );
  }

  #each(visit: (slot: string, storage: Storage) => void): void {
    for (const { facts, storage, slot } of this.#columns.values()) {
      visit(slot, storage);
      if (facts.nullable) visit(`${slot}n`, 'Uint8Array');
    }
  }

  /** In the pipeline that fills it: the names of its memory. `also` grows with it. */
  open(coder: Coder, also: readonly string[] = []): void {
    coder.before(() => {
      coder.line(`let ${this.name}rows = 0;`);
      coder.line(`let ${this.name}room = ${FIRST_ROWS};`);
      this.#each((slot, storage) => coder.line(`let ${this.name}${slot} = new ${storage}(${FIRST_ROWS});`));
      for (const list of also) coder.line(`let ${list} = new Int32Array(${FIRST_ROWS});`);
      coder.line(`${coder.helper('claim')}(${FIRST_ROWS * this.#rowBytes(also)});`);
    });
  }

  /** The same with room for `room` rows that are not appended but written where they belong; `rows` of them are there. */
  openFor(coder: Coder, room: string, rows: string): void {
    coder.before(() => {
      coder.line(`let ${this.name}rows = ${rows};`);
      coder.line(`${coder.helper('claim')}(${room} * ${this.#rowBytes([])});`);
      this.#each((slot, storage) => coder.line(`const ${this.name}${slot} = new ${storage}(${room});`));
    });
  }

  #rowBytes(also: readonly string[]): number {
    let bytes = also.length * BYTES.Int32Array;
    this.#each((_, storage) => {
      bytes += BYTES[storage];
    });
    return bytes;
  }

  /** Sees to room for a row more. */
  reserve(coder: Coder, also: readonly string[] = [], grown: () => void = () => undefined): void {
    coder.block(`if (${this.name}rows === ${this.name}room) {`, () => {
      coder.line(`${coder.helper('claim')}(${this.name}room * ${this.#rowBytes(also)});`);
      coder.line(`${this.name}room *= 2;`);
      this.#each((slot, storage) => {
        const own = `${this.name}${slot}`;
        if (storage !== 'Array') coder.line(`${own} = ${coder.helper('resized')}(${own}, ${this.name}room);`);
      });
      for (const list of also) coder.line(`${list} = ${coder.helper('resized')}(${list}, ${this.name}room);`);
      grown();
    });
  }

  /** Writes a value of row `row`. */
  set(coder: Coder, column: string, row: string, value: Value): void {
    const { slot, storage } = this.#stored(column);
    const text = storage === 'Array' && value.texts !== undefined ? `${value.texts}[${value.code}]` : value.code;
    coder.line(`${this.name}${slot}[${row}] = ${value.type === 'boolean' ? `${text} ? 1 : 0` : text};`);
    if (this.#stored(column).facts.nullable) {
      coder.line(`${this.name}${slot}n[${row}] = ${value.isNull === undefined ? '0' : `${value.isNull} ? 1 : 0`};`);
    }
  }

  append(coder: Coder, read: (column: string) => Value): void {
    const values = [...this.#columns.keys()].map(column => ({ column, value: read(column) }));
    this.reserve(coder);
    for (const { column, value } of values) this.set(coder, column, `${this.name}rows`, value);
    coder.line(`${this.name}rows++;`);
  }

  /** Hands the rows to the pipelines behind. */
  close(coder: Coder): void {
    coder.behind(() => {
      coder.line(`state.${this.name} = {`);
      coder.line(`rows: ${this.name}rows,`);
      this.#each(slot => coder.line(`${slot}: ${this.name}${slot},`));
      coder.line('};');
    });
  }

  #stored(column: string): StoredColumn {
    const stored = this.#columns.get(column);
    if (stored === undefined) throw new Error(`'${column}' is not kept in ${this.name}`);
    return stored;
  }

  /** In the pipeline that fills it: the name of a column's memory. */
  memory(column: string): string {
    return `${this.name}${this.#stored(column).slot}`;
  }

  /** In a pipeline that reads it. */
  rows(coder: Coder): string {
    return coder.given(`${this.name} rows`, `state.${this.name}.rows`);
  }

  array(coder: Coder, column: string): string {
    const { slot } = this.#stored(column);
    return coder.given(`${this.name}.${slot}`, `state.${this.name}.${slot}`);
  }

  /** A value of row `row`, where there is one. */
  get(coder: Coder, column: string, row: string, noRow?: string): Value {
    const { facts, slot, storage } = this.#stored(column);
    const array = this.array(coder, column);
    const { type, dictionary } = facts;
    const nulls = facts.nullable ? coder.given(`${this.name}.${slot}n`, `state.${this.name}.${slot}n`) : undefined;
    return coder.once(`${this.name}.${slot}[${row}]`, () => {
      const harmless = type === 'string' && storage === 'Array' ? "''" : '0';
      const read = noRow === undefined ? `${array}[${row}]` : `${noRow} ? ${harmless} : ${array}[${row}]`;
      const code = coder.define('v', type === 'boolean' ? `(${read}) === 1` : read);
      const own = nulls === undefined ? undefined : `${nulls}[${row}] === 1`;
      const isNull = own === undefined ? noRow : coder.define('n', noRow === undefined ? own : `${noRow} || ${own}`);
      const texts = dictionary === undefined ? undefined : coder.input(dictionary);
      return { type, code, isNull, texts, isListed: dictionary !== undefined };
    });
  }

  get columns(): ReadonlyMap<string, ColumnFacts> {
    return new Map([...this.#columns].map(([column, { facts }]) => [column, facts]));
  }
}
