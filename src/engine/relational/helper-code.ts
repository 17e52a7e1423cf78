/** Functions that lines of several tasks call, as text. Each task has a copy of its own: a sample in it is then that task's. */
const HELPERS = {
  /** Counts memory against the query's budget. */
  claim: ['(bytes) {', 'budget.claimed += bytes;', 'if (budget.claimed > budget.memory) overBudget(budget);', '}'],
  /** A power of two, at least twice as many as rows, less one. */
  maskFor: ['(rows) {', 'return 2 ** Math.max(1, Math.ceil(Math.log2(2 * rows + 1))) - 1;', '}'],
  /** A larger array with the same beginning. */
  resized: [
    '(array, room) {',
    'const larger = new array.constructor(room);',
    'larger.set(array);',
    'return larger;',
    '}',
  ],
  /** The place of a text in the list that all keys of the query share. */
  placed: [
    '(text) {',
    'const known = places.get(text);',
    'if (known !== undefined) return known;',
    'places.set(text, texts.length);',
    'return texts.push(text) - 1;',
    '}',
  ],
} as const;

export type Helper = keyof typeof HELPERS;

/** Copies of helpers, made as lines ask for them. */
export class HelperCode {
  readonly #areCopied: boolean;
  readonly #copies = new Map<string, { readonly helper: Helper; readonly task: number | undefined }>();

  /** `areCopied`: else all tasks share one of each. */
  constructor(areCopied: boolean) {
    this.#areCopied = areCopied;
  }

  /** The name of the copy of a task. */
  of(helper: Helper, asking: number | undefined): string {
    const task = this.#areCopied ? asking : undefined;
    const name = `${helper}${task ?? ''}`;
    this.#copies.set(name, { helper, task });
    return name;
  }

  write(line: (text: string, task: number | undefined) => void): void {
    for (const [name, { helper, task }] of this.#copies) {
      const [head, ...body] = HELPERS[helper];
      line(`function ${name}${head}`, task);
      for (const text of body) line(text, task);
    }
  }
}
