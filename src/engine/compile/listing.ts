/**
 * Generated source, one statement per line, with the owner and the task of each line logged while it is written. That log is the
 * tagging dictionary of Tailored Profiling §4.2: from a line in a stack trace or a profile back to a task, and to an operator.
 */
export class Listing {
  readonly #lines: string[] = [];
  readonly #owners: (number | undefined)[] = [];
  readonly #tasks: Task[] = [];
  #depth = 0;
  /** The abstraction tracker: what is being lowered right now. */
  #task: Task = 'loop';

  /** `owner`: position of the operator in its segment; undefined for the engine's own lines. */
  add(text: string, owner?: number): void {
    if (text.startsWith('}')) this.#depth--;
    this.#lines.push('  '.repeat(Math.max(0, this.#depth)) + text);
    this.#owners.push(owner);
    this.#tasks.push(this.#task);
    if (text.endsWith('{')) this.#depth++;
  }

  /** Lines that `write` adds belong to `task`; a task within another has its own lines only. */
  within(task: Task, write: () => void): void {
    const outer = this.#task;
    this.#task = task;
    try {
      write();
    } finally {
      this.#task = outer;
    }
  }

  get text(): string {
    return this.#lines.join('\n');
  }

  /** Owners by line, the first line being 1. */
  owners(): readonly (number | undefined)[] {
    return [undefined, ...this.#owners];
  }

  /** Tasks by line, the first line being 1. */
  tasks(): readonly (Task | undefined)[] {
    return [undefined, ...this.#tasks];
  }
}

/**
 * What a line is there for. Of an operator: its work on an element, the call of its function, what it keeps between elements, the end
 * of a pass, and timing of single elements. Of the engine: the loop, its input and output, counts.
 */
export type Task = 'element' | 'call' | 'state' | 'flush' | 'timing' | 'loop' | 'input' | 'output' | 'count';
