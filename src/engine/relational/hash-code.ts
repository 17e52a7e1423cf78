import type { Coder } from './coder.ts';
import type { JoinHow } from './plan.ts';
import type { RowBuffer } from './row-buffer.ts';

/** A part of a key: where it is kept, whether all its numbers are whole ones of 32 bits, and what it is in the row at hand. */
export interface KeyPart {
  readonly memory: string;
  readonly isWhole: boolean;
  readonly code: string;
}

/** Knuth's multiplier for multiplicative hashing: 2^32 divided by the golden ratio. */
const GOLDEN = '0x9e3779b1';

/** 2^32: what a number has above its lowest 32 bits is what it has been divided by this. */
const ABOVE = '0x100000000';

/**
 * 32 bits of a number, as code. Bit operators see the lowest 32 bits of its whole part alone: fractions would all be 0, and so would multiples of 2^32.
 */
export const bitsOf = (code: string, isWhole: boolean): string =>
  isWhole ? code : `${code} ^ ${code} * ${GOLDEN} ^ ${code} / ${ABOVE}`;

/** Writes the hash of a key, all 32 bits of it. */
function hashed(coder: Coder, codes: readonly string[], areWhole: readonly boolean[]): string {
  let hash = '0';
  codes.forEach((code, at) => {
    const bits = bitsOf(code, areWhole[at] === true);
    hash = coder.define('h', `Math.imul(${hash === '0' ? bits : `${hash} ^ ${bits}`}, ${GOLDEN})`);
  });
  return coder.define('h', `${hash} ^ (${hash} >>> 15)`);
}

const differs = (parts: readonly KeyPart[], row: string): string =>
  parts.map(({ memory, code }) => `${memory}[${row}] !== ${code}`).join(' || ');

export interface Probe {
  /** Writes the key of the row at hand. */
  readonly keys: () => readonly string[];
  /** When a part of it has no value; empty: never. */
  readonly isUnknown: string;
  readonly how: JoinHow;
  /** Writes what else must hold for row `row`. */
  readonly holds: (row: string) => string | undefined;
  /** Writes what becomes of a match; `noRow` says that there was none. */
  readonly found: (row: string, noRow?: string) => void;
}

/** The hash table of a join: rows that were kept, chained by hash in their order. The code is written for each join anew, so its lines are that join's. */
export class HashCode {
  readonly #buffer: RowBuffer;
  readonly #keys: readonly string[];
  /** Of the rows that were kept; those that ask are hashed alike. */
  readonly #areWhole: readonly boolean[];

  constructor(buffer: RowBuffer, keys: readonly string[]) {
    this.#buffer = buffer;
    this.#keys = keys;
    this.#areWhole = keys.map(key => buffer.columns.get(key)?.isWhole === true);
  }

  /** Behind the loop that kept the rows. `isUnique`: a key that comes twice is refused. */
  link(coder: Coder, isUnique: boolean): void {
    const { name } = this.#buffer;
    const mask = coder.define('mask', `${coder.helper('maskFor')}(${name}rows)`);
    coder.line(`${coder.helper('claim')}(4 * (${mask} + 1 + ${name}rows));`);
    const heads = coder.define('heads', `new Int32Array(${mask} + 1)`);
    const next = coder.define('next', `new Int32Array(${name}rows)`);
    const row = coder.name('row');
    coder.block(`for (let ${row} = ${name}rows - 1; ${row} >= 0; ${row}--) {`, () => {
      const codes = this.#keys.map(key => coder.define('k', `${this.#buffer.memory(key)}[${row}]`));
      const at = coder.define('h', `${hashed(coder, codes, this.#areWhole)} & ${mask}`);
      if (isUnique) {
        const parts = this.#keys.map((key, place) => ({
          memory: this.#buffer.memory(key),
          isWhole: this.#areWhole[place] === true,
          code: codes[place] ?? '0',
        }));
        const entry = coder.name('e');
        coder.block(`for (let ${entry} = ${heads}[${at}]; ${entry} !== 0; ${entry} = ${next}[${entry} - 1]) {`, () => {
          coder.line(`if (!(${differs(parts, `${entry} - 1`)})) notUnique();`);
        });
      }
      coder.line(`${next}[${row}] = ${heads}[${at}];`);
      coder.line(`${heads}[${at}] = ${row} + 1;`);
    });
    coder.line(`state.${name}.mask = ${mask};`);
    coder.line(`state.${name}.heads = ${heads};`);
    coder.line(`state.${name}.next = ${next};`);
  }

  probe(coder: Coder, { keys, isUnknown, how, holds, found }: Probe): void {
    const { name } = this.#buffer;
    const [mask, heads, next] = ['mask', 'heads', 'next'].map(part =>
      coder.given(`${name} ${part}`, `state.${name}.${part}`),
    );
    if (isUnknown !== '' && (how === 'inner' || how === 'semi')) coder.line(`if (${isUnknown}) continue;`);
    const codes = keys();
    const parts = this.#keys.map((key, at) => ({
      memory: this.#buffer.array(coder, key),
      isWhole: this.#areWhole[at] === true,
      code: codes[at] ?? '0',
    }));
    const hash = hashed(coder, codes, this.#areWhole);
    const entry = coder.name('e');
    const first = `${heads}[${hash} & ${mask}]`;
    coder.line(
      `let ${entry} = ${isUnknown !== '' && how !== 'inner' && how !== 'semi' ? `(${isUnknown}) ? 0 : ${first}` : first};`,
    );
    /** The loop over the rows with this hash; `match` is written for those that match. */
    const chain = (match: (row: string) => void): void =>
      coder.block(`while (${entry} !== 0) {`, () => {
        const row = coder.define('row', `${entry} - 1`);
        coder.line(`${entry} = ${next}[${row}];`);
        coder.line(`if (${differs(parts, row)}) continue;`);
        const condition = holds(row);
        if (condition !== undefined) coder.line(`if (!(${condition})) continue;`);
        match(row);
      });
    if (how === 'inner') {
      chain(row => found(row));
      return;
    }
    if (how === 'left') {
      this.#orNone(coder, chain, found);
      return;
    }
    const hit = coder.name('hit');
    coder.line(`let ${hit} = false;`);
    chain(() => {
      coder.line(`${hit} = true;`);
      coder.line('break;');
    });
    coder.line(`if (${how === 'semi' ? '!' : ''}${hit}) continue;`);
    found('');
  }

  /** Every match in turn; where there is none, one round without a row. */
  #orNone(coder: Coder, chain: (match: (row: string) => void) => void, found: Probe['found']): void {
    const [state, row] = [coder.name('round'), coder.name('row')];
    coder.line(`let ${state} = 0;`);
    coder.block(`while (${state} >= 0) {`, () => {
      coder.line(`let ${row} = -1;`);
      chain(match => {
        coder.line(`${row} = ${match};`);
        coder.line('break;');
      });
      coder.line(`if (${row} < 0 && ${state} > 0) break;`);
      coder.line(`${state} = ${row} < 0 ? -1 : 1;`);
      found(row, coder.define('n', `${row} < 0`));
    });
  }
}

/** A hash table that grows row by row: keys that are there already keep their row. */
export class GrowingHash {
  readonly #buffer: RowBuffer;
  readonly #mask: string;
  readonly #heads: string;
  readonly #next: string;

  constructor(buffer: RowBuffer) {
    this.#buffer = buffer;
    this.#mask = `${buffer.name}mask`;
    this.#heads = `${buffer.name}heads`;
    this.#next = `${buffer.name}next`;
  }

  open(coder: Coder): void {
    this.#buffer.open(coder, [this.#next]);
    coder.before(() => {
      coder.line(`let ${this.#mask} = 2 * ${this.#buffer.name}room - 1;`);
      coder.line(`let ${this.#heads} = new Int32Array(${this.#mask} + 1);`);
    });
  }

  /** The row of a key. `opened` writes what a new one begins with. */
  row(coder: Coder, parts: readonly KeyPart[], opened: (row: string) => void): string {
    const { name } = this.#buffer;
    const hash = hashed(
      coder,
      parts.map(({ code }) => code),
      parts.map(({ isWhole }) => isWhole),
    );
    const entry = coder.name('e');
    coder.line(`let ${entry} = ${this.#heads}[${hash} & ${this.#mask}];`);
    coder.block(`while (${entry} !== 0 && (${differs(parts, `${entry} - 1`)})) {`, () => {
      coder.line(`${entry} = ${this.#next}[${entry} - 1];`);
    });
    coder.block(`if (${entry} === 0) {`, () => {
      this.#buffer.reserve(coder, [this.#next], () => this.#relink(coder, parts));
      const row = coder.define('row', `${name}rows`);
      const at = coder.define('h', `${hash} & ${this.#mask}`);
      coder.line(`${this.#next}[${row}] = ${this.#heads}[${at}];`);
      coder.line(`${name}rows++;`);
      coder.line(`${this.#heads}[${at}] = ${name}rows;`);
      coder.line(`${entry} = ${name}rows;`);
      for (const { memory, code } of parts) coder.line(`${memory}[${row}] = ${code};`);
      opened(row);
    });
    return coder.define('row', `${entry} - 1`);
  }

  #relink(coder: Coder, parts: readonly KeyPart[]): void {
    const { name } = this.#buffer;
    coder.line(`${coder.helper('claim')}(8 * ${name}room);`);
    coder.line(`${this.#mask} = 2 * ${name}room - 1;`);
    coder.line(`${this.#heads} = new Int32Array(${this.#mask} + 1);`);
    const row = coder.name('row');
    coder.block(`for (let ${row} = 0; ${row} < ${name}rows; ${row}++) {`, () => {
      const codes = parts.map(({ memory }) => coder.define('k', `${memory}[${row}]`));
      const areWhole = parts.map(({ isWhole }) => isWhole);
      const at = coder.define('h', `${hashed(coder, codes, areWhole)} & ${this.#mask}`);
      coder.line(`${this.#next}[${row}] = ${this.#heads}[${at}];`);
      coder.line(`${this.#heads}[${at}] = ${row} + 1;`);
    });
  }
}
