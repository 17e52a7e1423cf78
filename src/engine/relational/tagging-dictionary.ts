import type { CallPlace } from '../compile/call-place.ts';
import { definedIn } from './passes/statement.ts';

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
  /** Where it was written. */
  readonly at?: CallPlace | undefined;
}

interface WrittenLine {
  readonly task: number | undefined;
  /** The name that it defines. */
  readonly defines: string | undefined;
}

/**
 * The tagging dictionary of Tailored Profiling §4.2, with a log for each step of lowering: tasks know their operator, lines their task when they are written, lines of the final code the
 * ones that they come from. It is filled while code is generated; nothing is worked out backwards.
 */
export class TaggingDictionary {
  readonly #operators: TaggedOperator[] = [];
  readonly #tasks: Task[] = [];
  readonly #written: WrittenLine[] = [];
  /** By line of the final code, the first being 1. */
  #lines: readonly (readonly number[])[] = [];

  operator(operator: TaggedOperator): number {
    return this.#operators.push(operator) - 1;
  }

  task(task: Task): number {
    return this.#tasks.push(task) - 1;
  }

  /** Logs a line that is written for `task`, and gives its number. */
  written(text: string, task: number | undefined): number {
    return this.#written.push({ task, defines: definedIn(text) }) - 1;
  }

  /**
   * Takes the final code: `origins` are the numbers of written lines by line of `text`, the first being 0. A name must be defined in a line that comes from the one that first defined it: where it is not,
   * lines and origins are out of step.
   */
  lines(text: string, origins: readonly (readonly number[])[]): void {
    for (const [at, line] of text.split('\n').entries()) {
      const name = definedIn(line.trim());
      if (name === undefined || origins[at]?.some(from => this.#written[from]?.defines === name) === true) continue;
      throw new Error(`line ${at + 1} defines ${name}, and comes from lines that do not`);
    }
    const tasksOf = (from: readonly number[]): number[] => [
      ...new Set(from.flatMap(line => this.#written[line]?.task ?? [])),
    ];
    this.#lines = [[], ...origins.map(tasksOf)];
  }

  get operators(): readonly TaggedOperator[] {
    return this.#operators;
  }

  get tasks(): readonly Task[] {
    return this.#tasks;
  }

  /** The tasks to which a line of generated code belongs, in equal parts; none: it is the engine's own. Lines that compute something for several tasks have several. */
  tasksOf(line: number): readonly number[] {
    return this.#lines[line] ?? [];
  }

  /** The first of them, which would need the line without the others. */
  taskOf(line: number): number | undefined {
    return this.tasksOf(line)[0];
  }

  operatorOf(line: number): number | undefined {
    const task = this.taskOf(line);
    return task === undefined ? undefined : this.#tasks[task]?.operator;
  }
}
