import type { Helper } from './helper-code.ts';
import type { ColumnType } from './table.ts';

/** A value in generated code. */
export interface Value {
  readonly type: ColumnType;
  /** A name or a constant: a number, a day, a boolean, a text, or the place of a text. */
  readonly code: string;
  /** The name of what says that there is none; undefined: there is one. The code is then harmless. */
  readonly isNull: string | undefined;
  /** The name of the list of texts, where the code is a place in it. */
  readonly texts: string | undefined;
  /** All its texts are known before the first row. */
  readonly isListed: boolean;
}

export interface CodeLine {
  readonly text: string;
  /** The lines that it comes from, by their number when they were written; itself, until a pass changes it. */
  readonly from: readonly number[];
}

/** What the pipelines of a query share. */
export interface CodeNames {
  /** The name of something from outside. */
  input(value: unknown): number;
  /** A number nobody has. */
  next(): number;
  /** The name of a task's own copy of a helper. */
  helper(helper: Helper, task: number | undefined): string;
  /** Logs a line that `task` writes, and gives its number. */
  written(text: string, task: number | undefined): number;
}

/**
 * The code of one pipeline: what stands before its loop, the loop, and what stands behind it. The task that is being lowered is the owner
 * of every line that is written meanwhile: the abstraction tracker of Tailored Profiling §4.2.
 */
export class Coder {
  readonly #names: CodeNames;
  /** What is read from outside: it may be asked for in the midst of anything. */
  readonly #given: CodeLine[] = [];
  readonly #head: CodeLine[] = [];
  readonly #body: CodeLine[] = [];
  readonly #tail: CodeLine[] = [];
  #target = this.#body;
  #task: number | undefined;
  #isCut = false;
  /** Values at hand, by block: what was read in a block is not at hand behind it. */
  #blocks: Map<string, Value>[] = [new Map()];
  readonly #heads = new Map<string, string>();

  constructor(names: CodeNames) {
    this.#names = names;
  }

  get lines(): readonly CodeLine[] {
    return [...this.#given, ...this.#head, ...this.#body, ...this.#tail];
  }

  line(text: string): void {
    this.#target.push({ text, from: [this.#names.written(text, this.#task)] });
  }

  /** A name that nobody has. */
  name(prefix: string): string {
    return `${prefix}${this.#names.next()}`;
  }

  /** `const NAME = expression;` */
  define(prefix: string, expression: string): string {
    const name = this.name(prefix);
    this.line(`const ${name} = ${expression};`);
    return name;
  }

  /** The name of a function for the lines at hand alone. */
  helper(helper: Helper): string {
    return this.#names.helper(helper, this.#task);
  }

  /** Lines of `task` are written by `write`. */
  within<T>(task: number, write: () => T): T {
    const before = this.#task;
    this.#task = task;
    try {
      return write();
    } finally {
      this.#task = before;
    }
  }

  /** The loop may end before all its rows were read. */
  cut(): void {
    this.#isCut = true;
  }

  get isCut(): boolean {
    return this.#isCut;
  }

  /** What is written stands before the loop. */
  before<T>(write: () => T): T {
    return this.#in(this.#head, write);
  }

  behind<T>(write: () => T): T {
    return this.#in(this.#tail, write);
  }

  #in<T>(target: CodeLine[], write: () => T): T {
    const [lines, blocks] = [this.#target, this.#blocks];
    this.#target = target;
    this.#blocks = [new Map()];
    try {
      return write();
    } finally {
      this.#target = lines;
      this.#blocks = blocks;
    }
  }

  /** A block, with its opening line and its closing one. */
  block(opening: string, write: () => void, closing = '}'): void {
    this.line(opening);
    this.#blocks.push(new Map());
    write();
    this.#blocks.pop();
    this.line(closing);
  }

  /** A value that is read once in a block and those inside it. */
  once(key: string, read: () => Value): Value {
    const known = this.#blocks.findLast(block => block.has(key))?.get(key);
    if (known !== undefined) return known;
    const value = read();
    this.#blocks.at(-1)?.set(key, value);
    return value;
  }

  /** A name that is defined once before the loop. */
  given(key: string, expression: string): string {
    const known = this.#heads.get(key);
    if (known !== undefined) return known;
    const name = this.#in(this.#given, () => this.define('a', expression));
    this.#heads.set(key, name);
    return name;
  }

  /** The name of something from outside, defined before the loop. */
  input(value: unknown): string {
    const number = this.#names.input(value);
    return this.given(`input ${number}`, `inputs[${number}]`);
  }
}
