import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads';
import { GENERATED_LINES } from '../../model/line-ranges.ts';

/** The code of a relational query, with the way back from its lines. */
export interface QueryScript {
  readonly name: string;
  /** As stack traces and profiles name it. */
  readonly file: string;
  /** Number of its first line there: no other script of this thread has any of its lines. */
  readonly firstLine: number;
  readonly text: string;
  readonly dictionary: {
    /** `at.text`: file and line where it was written. */
    readonly operators: readonly {
      readonly label: string;
      readonly at?: { readonly text: string | undefined } | undefined;
    }[];
    readonly tasks: readonly { readonly operator: number; readonly role: string }[];
    /** By line of its text, the first being 1: all tasks that it computes something for. */
    tasksOf(line: number): readonly number[];
  };
  /** Rows that have entered each of its operators so far; empty where it does not count them. */
  readonly rowCounts: () => readonly number[];
}

interface Scripts {
  nextLine: number;
  /** Held weakly: a query that its program no longer holds can be collected. */
  queries: WeakRef<QueryScript>[];
  /** Of those, how many were there when the list was last looked through. */
  live: number;
  listener: ((query: QueryScript) => void) | undefined;
}

/** Several copies of the package may be in one thread, as that of the author and that of the command: they share the numbers of lines. */
const KEY = Symbol.for('venturi/generated-scripts');

function scripts(): Scripts {
  const known: unknown = Reflect.get(globalThis, KEY);
  if (known !== undefined) return known as Scripts;
  const fresh: Scripts = { nextLine: GENERATED_LINES, queries: [], live: 0, listener: undefined };
  Object.defineProperty(globalThis, KEY, { value: fresh });
  return fresh;
}

const PROFILED = 'venturi/profiled';

/** Says whether this thread, and those that it starts from now on, are profiled: queries that are made there count their rows, which others need not spend time on. */
export const setProfiled = (isOn: boolean): void => setEnvironmentData(PROFILED, isOn);

export const isProfiled = (): boolean => getEnvironmentData(PROFILED) === true;

/** The number of the first of so many lines, which nobody else gets in this thread. */
export function claimLines(count: number): number {
  const own = scripts();
  const first = own.nextLine;
  own.nextLine += count;
  return first;
}

/** Lists a query for the profiler of this thread, which may start before or after it. */
export function announceQuery(query: QueryScript): void {
  const own = scripts();
  own.listener?.(query);
  if (own.queries.length > 2 * own.live) {
    own.queries = own.queries.filter(each => each.deref() !== undefined);
    own.live = own.queries.length;
  }
  own.queries.push(new WeakRef(query));
}

/** Tells `listener` of every query that this thread has, and of each that it will have. */
export function watchQueries(listener: (query: QueryScript) => void): void {
  const own = scripts();
  own.listener = listener;
  for (const each of own.queries) {
    const query = each.deref();
    if (query !== undefined) listener(query);
  }
}
