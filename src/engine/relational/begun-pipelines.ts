import { type CodeLine, Coder, type Value } from './coder.ts';
import type { HelperCode } from './helper-code.ts';
import { simplified } from './passes/passes.ts';
import type { Plan } from './plan.ts';
import type { RowCounts } from './row-counts.ts';
import type { TaggingDictionary } from './tagging-dictionary.ts';

/** A loop over rows, from a table or from rows that were kept to rows that are kept. */
export interface LoweredPipeline {
  readonly label: string;
  readonly lines: readonly CodeLine[];
}

/** The pipelines of a query while they are written: the one at hand, the tasks of its operators, and what all of them share. */
export class BegunPipelines {
  /** In the order in which they run. */
  readonly done: LoweredPipeline[] = [];
  /** What generated code is handed from outside. */
  readonly inputs: unknown[] = [];
  readonly helpers: HelperCode;
  readonly counts: RowCounts;
  readonly #numbers = new Map<unknown, number>();
  readonly #dictionary: TaggingDictionary;
  readonly #isSimplified: boolean;
  readonly #operators = new Map<Plan, number>();
  #names = 0;
  #begun = 0;
  #current = 0;

  constructor(dictionary: TaggingDictionary, isSimplified: boolean, helpers: HelperCode, counts: RowCounts) {
    this.helpers = helpers;
    this.counts = counts;
    this.#dictionary = dictionary;
    this.#isSimplified = isSimplified;
  }

  /** One that is begun while another is written runs before it. */
  pipeline(label: string, write: (coder: Coder) => void): void {
    const before = this.#current;
    this.#current = this.#begun++;
    const coder = new Coder({
      input: value => this.#input(value),
      next: () => this.#names++,
      helper: (helper, task) => this.helpers.of(helper, task),
      written: (text, task) => this.#dictionary.written(text, task),
    });
    write(coder);
    this.done.push({ label, lines: this.#isSimplified ? simplified(coder.lines) : coder.lines });
    this.#current = before;
  }

  #input(value: unknown): number {
    const known = this.#numbers.get(value);
    if (known !== undefined) return known;
    this.#numbers.set(value, this.inputs.length);
    return this.inputs.push(value) - 1;
  }

  /** A name for rows that are kept. */
  memory(): string {
    return `m${this.#names++}`;
  }

  /** What an operator does in the pipeline at hand. Parts of one operator are its tasks, wherever an optimiser has put them. */
  task(plan: Plan, role: string): number {
    const written = plan.origin ?? plan;
    const known = this.#operators.get(written);
    const { kind, label, at } = written;
    const operator = known ?? this.#dictionary.operator({ kind, label, at });
    this.#operators.set(written, operator);
    return this.#dictionary.task({ operator, pipeline: this.#current, role });
  }

  /** A task of what is no operator of the plan. */
  own(kind: string, label: string, role: string): number {
    const operator = this.#dictionary.operator({ kind, label });
    return this.#dictionary.task({ operator, pipeline: this.#current, role });
  }

  /** Rows of an edge enter the operator whose task that is. */
  entered(task: number, edge: number): void {
    this.counts.entered(this.#dictionary.tasks[task]?.operator ?? -1, edge);
  }

  /** A key as a number: a text by its place in a list that both sides share. */
  keyOf(coder: Coder, value: Value, isShared: boolean): string {
    // It equals nothing, itself included: a table would never find it again.
    if (value.type === 'number') {
      const known = value.isNull === undefined ? '' : `!(${value.isNull}) && `;
      coder.line(`if (${known}${value.code} !== ${value.code}) notANumber();`);
    }
    if (value.type === 'boolean') return coder.define('k', `${value.code} ? 1 : 0`);
    if (value.type !== 'string' || (isShared && value.texts !== undefined)) return value.code;
    const text = value.texts === undefined ? value.code : `${value.texts}[${value.code}]`;
    return coder.define('k', `${coder.helper('placed')}(${text})`);
  }
}
