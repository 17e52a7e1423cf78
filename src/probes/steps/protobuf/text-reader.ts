/** Messages within messages; protobuf's own readers stop at as many. */
const MOST_NESTED = 100;

const COMMENT = 35;
const BLANK = 32;
const TAB = 9;
const RETURN = 13;

const NAME = /[A-Za-z_][A-Za-z0-9_]*|\[[\w./-]+\]/y;
/** Numbers, names of enums, true and false. */
const SCALAR = /-?[\w.+-]+/y;
const INTEGER = /^-?(?:0x[0-9a-f]+|\d+)$/i;
/** Digits of the longest integer that is read: the range of 64 bits has 20. */
const MOST_DIGITS = 24;

const NUMERIC_ESCAPE = /[0-7]{1,3}|[xX][0-9a-fA-F]{1,2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}/y;
const ESCAPES: Readonly<Record<string, number>> = {
  a: 7,
  b: 8,
  t: 9,
  n: 10,
  v: 11,
  f: 12,
  r: 13,
  '"': 34,
  "'": 39,
  '?': 63,
  '\\': 92,
};

/** Reads protobuf's text format front to back. `field` goes to a field; one other method then takes its value. */
export class TextReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** The name of the next field; undefined at the bracket that closes the message, or at the end of the text where it is ''. */
  field(closing: '' | '}' | '>'): string | undefined {
    this.#space();
    while (this.#take(',') || this.#take(';')) this.#space();
    if (closing === '' ? this.#at >= this.#text.length : this.#take(closing)) return undefined;
    const name = this.#match(NAME) ?? this.#fail(closing === '' ? 'a field' : `a field or ${closing}`);
    this.#space();
    return name;
  }

  /** Reads a value, or each of a list of them. */
  each(read: () => void): void {
    this.#colon();
    if (!this.#take('[')) {
      read();
      return;
    }
    this.#space();
    while (!this.#take(']')) {
      read();
      this.#space();
      this.#take(',');
      this.#space();
    }
  }

  /** Enters a message; the bracket that will close it. */
  message(): '}' | '>' {
    if (this.#take('{')) return '}';
    return this.#take('<') ? '>' : this.#fail('{');
  }

  integer(): bigint {
    const text = this.#match(SCALAR) ?? '';
    if (!INTEGER.test(text) || text.length > MOST_DIGITS) this.#fail('a whole number', text);
    return text.startsWith('-') ? -BigInt(text.slice(1)) : BigInt(text);
  }

  /** Texts one after the other count as one. */
  text(): string {
    let text = this.#quoted();
    for (;;) {
      this.#space();
      const next = this.#text[this.#at];
      if (next !== '"' && next !== "'") return text;
      text += this.#quoted();
    }
  }

  /** Goes past a value of any kind. */
  skip(): void {
    this.#colon();
    const open: string[] = [];
    do {
      this.#space();
      const next = this.#text[this.#at];
      if (next === '{' || next === '<' || next === '[') {
        open.push(next === '{' ? '}' : next === '<' ? '>' : ']');
        if (open.length > MOST_NESTED) this.#fail(`at most ${MOST_NESTED} messages within each other`);
        this.#at++;
      } else if (next !== undefined && next === open.at(-1)) {
        open.pop();
        this.#at++;
      } else if (next === '"' || next === "'") this.text();
      else if (open.length > 0 && (next === ',' || next === ';' || next === ':')) this.#at++;
      else if (this.#match(SCALAR) === undefined) this.#fail('a value');
    } while (open.length > 0);
  }

  #colon(): void {
    this.#take(':');
    this.#space();
  }

  #quoted(): string {
    const quote = this.#text[this.#at];
    if (quote !== '"' && quote !== "'") this.#fail('a text');
    const start = ++this.#at;
    for (;;) {
      const char = this.#text[this.#at];
      if (char === undefined || char === '\n') this.#fail(`the end of a text, ${quote}`);
      if (char === quote) return this.#text.slice(start, this.#at++);
      if (char === '\\') return this.#escaped(start, quote);
      this.#at++;
    }
  }

  /** A text with escapes, which are bytes of UTF-8. */
  #escaped(start: number, quote: string): string {
    const parts: Uint8Array[] = [Buffer.from(this.#text.slice(start, this.#at))];
    let plain = this.#at;
    const flush = (): void => {
      if (plain < this.#at) parts.push(Buffer.from(this.#text.slice(plain, this.#at)));
    };
    for (;;) {
      const char = this.#text[this.#at];
      if (char === undefined || char === '\n') this.#fail(`the end of a text, ${quote}`);
      if (char === quote) {
        flush();
        this.#at++;
        return Buffer.concat(parts).toString('utf8');
      }
      if (char === '\\') {
        flush();
        parts.push(this.#escape());
        plain = this.#at;
      } else this.#at++;
    }
  }

  #escape(): Buffer {
    this.#at++;
    const numeric = this.#match(NUMERIC_ESCAPE);
    if (numeric === undefined) {
      const byte = ESCAPES[this.#text[this.#at] ?? ''] ?? this.#fail('an escape');
      this.#at++;
      return Buffer.of(byte);
    }
    const [kind, digits] = [numeric[0]?.toLowerCase(), numeric.slice(1)];
    if (kind === 'x') return Buffer.of(Number.parseInt(digits, 16));
    if (kind !== 'u') return Buffer.of(Number.parseInt(numeric, 8) & 255);
    const code = Number.parseInt(digits, 16);
    return Buffer.from(code > 0x10ffff ? this.#fail('a character', numeric) : String.fromCodePoint(code));
  }

  /** Goes past white space and comments. A pattern that repeats would need a stack as long as they are. */
  #space(): void {
    for (;;) {
      const code = this.#text.charCodeAt(this.#at);
      if (code === COMMENT) {
        const end = this.#text.indexOf('\n', this.#at);
        this.#at = end === -1 ? this.#text.length : end;
      } else if (code === BLANK || (code >= TAB && code <= RETURN)) this.#at++;
      else return;
    }
  }

  #take(char: string): boolean {
    if (this.#text[this.#at] !== char) return false;
    this.#at++;
    return true;
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const [found] = pattern.exec(this.#text) ?? [];
    if (found !== undefined) this.#at += found.length;
    return found;
  }

  #fail(expected: string, found?: string): never {
    const before = this.#text.slice(0, this.#at);
    const line = before.split('\n').length;
    const text = found ?? this.#text.slice(this.#at, this.#at + 20).split('\n', 1)[0];
    throw new RangeError(`line ${line}: ${expected} is expected, found ${text ? `'${text}'` : 'the end'}`);
  }
}
