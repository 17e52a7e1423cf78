import { subject } from '../../model/record.ts';
import type { SampleFact, StackFrame, StackHits } from '../../model/samples.ts';
import type { WorkerHits } from './attribution.ts';
import { SampleTables } from './sample-tables.ts';

interface Place {
  readonly operator: string;
  readonly file: string;
  readonly line: number;
}

/** What an operator's code is called; the name alone says that a frame may be one. */
const ENTRY = /^(?:__call__|forward|__getitem__|__getitems__|__next__|__iter__)$/;

/**
 * Gives stacks to operators where a profiler tells neither thread nor time: the innermost frame that is the code of a recorded
 * operator owns the hit. It rests on lines of source and is less than the join by time: an operator without a line is not seen.
 */
export class StackAttribution {
  readonly tables = new SampleTables(1);
  readonly symbols: string[] = [];
  readonly fact: SampleFact;
  readonly #places: readonly Place[];
  readonly #numbers = new Map<string, number>();

  /** `locations`: `file:line` of each operator's code. */
  constructor(locations: ReadonlyMap<string, string>, profiler: string) {
    this.fact = { profiler, events: ['samples'], frequency: 0 };
    this.#places = [...locations].flatMap(([operator, location]) => {
      const [, file, line] = /^(.*):(\d+)$/.exec(location) ?? [];
      return file === undefined ? [] : [{ operator, file, line: Number(line) }];
    });
  }

  add({ frames, hits }: StackHits): void {
    const leaf = frames.at(-1);
    if (leaf === undefined) return;
    const operator = frames.findLast(frame => this.#operatorOf(frame) !== undefined);
    const owner = operator && this.#operatorOf(operator);
    const number = this.#number(subject.symbol(leaf.name, leaf.file.slice(leaf.file.lastIndexOf('/') + 1)));
    this.tables.add(owner === undefined ? { reason: 'noOperatorFrame' } : { operator: owner }, number, 0, hits, hits);
  }

  workers(): WorkerHits {
    return { hits: 0, inOperators: 0 };
  }

  /**
   * The operator whose code begins nearest before the line, in the same file. Profilers shorten the way to it, and newer ones
   * say the class before the name, by which it may be told at once.
   */
  #operatorOf({ name, file, line }: StackFrame): string | undefined {
    const places = this.#places.filter(
      place => place.line <= line && (place.file === file || (file !== '' && place.file.endsWith(`/${file}`))),
    );
    const [own = '', holder] = name.split('.').reverse();
    const isEntry = ENTRY.test(own);
    const named = places.find(
      ({ operator }) => operator === name || operator === own || (isEntry && operator === holder),
    );
    const [nearest] = places.sort((a, b) => b.line - a.line);
    return named?.operator ?? (isEntry ? nearest?.operator : undefined);
  }

  #number(key: string): number {
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const number = this.symbols.length;
    this.symbols.push(key);
    this.#numbers.set(key, number);
    return number;
  }
}
