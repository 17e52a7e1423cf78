import { subject } from '../../model/record.ts';
import type { SampleFact, StackFrame, StackHits } from '../../model/samples.ts';
import type { WorkerHits } from './attribution.ts';
import { Numbering } from './numbering.ts';
import { SampleTables } from './sample-tables.ts';

/** Where an operator's code begins. */
interface SourceLocation {
  readonly operator: string;
  readonly file: string;
  readonly line: number;
}

/** Names of the methods that operators are called by. */
const ENTRY = /^(?:__call__|forward|__getitem__|__getitems__|__next__|__iter__)$/;

/**
 * Joins stacks to operators for profilers that record neither thread nor time: the innermost frame in the code of a recorded
 * operator owns the hit. It is weaker than the join by time: an operator without a known source line gets no samples.
 */
export class StackAttribution {
  readonly tables = new SampleTables(1);
  readonly fact: SampleFact;
  readonly #locations: readonly SourceLocation[];
  readonly #symbols = new Numbering<string>();

  /** `locations`: `file:line` of each operator's code. */
  constructor(locations: ReadonlyMap<string, string>, profiler: string) {
    this.fact = { profiler, events: ['samples'], frequency: 0 };
    this.#locations = [...locations].flatMap(([operator, location]) => {
      const [, file, line] = /^(.*):(\d+)$/.exec(location) ?? [];
      return file === undefined ? [] : [{ operator, file, line: Number(line) }];
    });
  }

  get symbols(): readonly string[] {
    return this.#symbols.list;
  }

  add({ frames, hits }: StackHits): void {
    const leaf = frames.at(-1);
    if (leaf === undefined) return;
    const operator = frames.findLast(frame => this.#operatorOf(frame) !== undefined);
    const owner = operator && this.#operatorOf(operator);
    const symbol = subject.symbol(leaf.name, leaf.file.slice(leaf.file.lastIndexOf('/') + 1));
    const number = this.#symbols.of(symbol, symbol);
    this.tables.add(owner === undefined ? { reason: 'noOperatorFrame' } : { operator: owner }, number, 0, hits, hits);
  }

  workers(): WorkerHits {
    return { hits: 0, inOperators: 0 };
  }

  /**
   * The operator whose code begins nearest before the line, in the same file. Profilers shorten paths, so a file matches by its
   * ending; newer ones write `Class.method`, and then the class decides.
   */
  #operatorOf({ name, file, line }: StackFrame): string | undefined {
    const before = this.#locations.filter(
      each => each.line <= line && (each.file === file || (file !== '' && each.file.endsWith(`/${file}`))),
    );
    const [own = '', holder] = name.split('.').reverse();
    const isEntry = ENTRY.test(own);
    const named = before.find(
      ({ operator }) => operator === name || operator === own || (isEntry && operator === holder),
    );
    const [nearest] = before.sort((a, b) => b.line - a.line);
    return named?.operator ?? (isEntry ? nearest?.operator : undefined);
  }
}
