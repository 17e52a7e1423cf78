/** What an operator does in one pipeline. */
export interface Task {
  readonly operator: number;
  readonly pipeline: number;
  /** scan, probe, build, aggregate … */
  readonly role: string;
}

export interface TaggedOperator {
  readonly kind: string;
  readonly label: string;
}

/**
 * The tagging dictionary of Tailored Profiling §4.2, with a log for each step of lowering: tasks know their operator, lines of generated
 * code their task. It is filled while code is generated; nothing is worked out backwards.
 */
export class TaggingDictionary {
  readonly #operators: TaggedOperator[] = [];
  readonly #tasks: Task[] = [];
  /** By line, the first being 1. */
  #lines: readonly (number | undefined)[] = [];

  operator(operator: TaggedOperator): number {
    return this.#operators.push(operator) - 1;
  }

  task(task: Task): number {
    return this.#tasks.push(task) - 1;
  }

  lines(owners: readonly (number | undefined)[]): void {
    this.#lines = owners;
  }

  get operators(): readonly TaggedOperator[] {
    return this.#operators;
  }

  get tasks(): readonly Task[] {
    return this.#tasks;
  }

  /** The task to which a line of generated code belongs; undefined: the engine's own. */
  taskOf(line: number): number | undefined {
    return this.#lines[line];
  }

  operatorOf(line: number): number | undefined {
    const task = this.taskOf(line);
    return task === undefined ? undefined : this.#tasks[task]?.operator;
  }
}
