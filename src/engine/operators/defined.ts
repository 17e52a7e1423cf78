import type { Context, WorkerContext } from '../contract/context.ts';
import { flatMap } from './flat-map.ts';
import type { OperatorKind } from './kind.ts';

/** One pass of an operator over the data: its state lives in here. */
export interface OperatorPass<T, U> {
  /** What leaves when `element` arrives: nothing, one or many. A generator is consumed lazily. */
  readonly element: (element: T, context: Context) => Iterable<U>;
  /** What is held back leaves at the end of the pass. Not for an operator that is divided among threads. */
  readonly end?: () => Iterable<U>;
  /** Called once for every pass that was opened, also where it did not come to its end. */
  readonly close?: () => void;
  /** What the user of the run should know, in sentences. */
  readonly warnings?: () => readonly string[];
  /**
   * What the pass keeps between two elements, as plain data, and taking it up again in a pass that has just been opened.
   * Without them a resumed run gives the operator its pass from the beginning.
   */
  readonly save?: () => unknown;
  readonly load?: (saved: never) => void;
}

/** An operator by what it does. Its `kind` stands for it in graphs and tables. */
export interface Operator<T, U> {
  readonly kind: string;
  /** Plain data: shown in the graph, and part of its fingerprint. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** It need not see all elements, nor in order: with a `parallelism` threads share the work, each with a pass of its own. */
  readonly divisible?: boolean;
  /** Nothing ever leaves it: beside others in a `merge` it has no turn. */
  readonly sink?: boolean;
  /**
   * A sink that may be tried out as often as need be: it has no effect outside, or leaves that be in a trial (`worker.isTrial`). `venturi
   * tune` asks before it runs a pipeline with any other.
   */
  readonly harmless?: boolean;
  /** Awaited in every lane before it is opened: for what has to be loaded. */
  readonly prepare?: () => Promise<void>;
  /** Begins a pass: when the lane starts, and again whenever a `repeat` downstream starts over. */
  readonly open: (worker: WorkerContext) => OperatorPass<T, U>;
}

/** How a generated loop sees a defined operator: a function with a beginning and an end. */
interface DefinedCall<T> {
  (element: T, context: Context): Iterable<unknown>;
  begin(): void;
  end(): Iterable<unknown>;
  /** Undefined: only its beginning can be saved. */
  save(): { readonly pass: unknown } | undefined;
  load(saved: { readonly pass: unknown }): void;
}

/** Elements pass a divisible one as they pass a `flatMap`; any other also has an end, at which more may leave. */
export const definedKind = (kind: string, divisible: boolean): OperatorKind =>
  divisible ? { ...flatMap, kind, callsFunction: false } : { ...inOrder, kind };

/** The way through an operator that sees all elements in order. Children of an element are numbered; those that leave at the end go on from the last one's. */
export const inOrder: Omit<OperatorKind, 'kind'> = {
  sequential: true,
  elements: 'any',
  many: true,
  state({ at, identity, line }) {
    if (!identity) return;
    line(`let last${at} = 0;`);
    line(`let lastSub${at} = 0;`);
    line(`let child${at} = 0;`);
  },
  element(code) {
    const { at, identity, line } = code;
    if (identity) {
      line(`last${at} = ${code.sequence};`);
      line(`lastSub${at} = ${code.sub};`);
      line(`child${at} = 0;`);
    }
    code.call(`items${at}`);
    code.worked();
    code.iterate(`item${at}`, `items${at}`);
    code.workedOn();
    if (code.mayStop) line(`if (stopped > ${at}) break;`);
    code.hand(`item${at}`, `last${at}`, `mixPath(lastSub${at}, child${at}++)`, true);
    code.iterated();
    // What a generator does after its last item, or instead of any.
    code.workedOn();
  },
  flush(code) {
    const { at, line } = code;
    code.iterate(`item${at}`, `call${at}.end()`);
    code.drew();
    if (code.mayStop) line(`if (stopped > ${at}) break;`);
    code.hand(`item${at}`, `last${at}`, `mixPath(lastSub${at}, child${at}++)`);
    code.iterated();
  },
  reset({ at, line }) {
    line(`call${at}.begin();`);
  },
  save: ({ at, identity }) =>
    `{ own: call${at}.save()${identity ? `, last: last${at}, lastSub: lastSub${at}, child: child${at}` : ''} }`,
  load({ at, identity, line }) {
    line(`call${at}.load(saved.own);`);
    if (!identity) return;
    line(`last${at} = saved.last ?? 0;`);
    line(`lastSub${at} = saved.lastSub ?? 0;`);
    line(`child${at} = saved.child ?? 0;`);
  },
};

const NOTHING: readonly never[] = [];

/** Makes a defined operator ready in one lane. */
export function setUpOperator<T, U>(
  operator: Operator<T, U>,
  worker: WorkerContext,
): { readonly call: DefinedCall<T>; readonly close: () => void; readonly warnings: () => readonly string[] } {
  let pass = openPass(operator, worker);
  if (operator.divisible === true && pass.end !== undefined) {
    throw new TypeError('a divisible operator has no end(): no thread sees the end of all elements');
  }
  // A function that declares its context is given one.
  const element =
    pass.element.length < 2
      ? (value: T): Iterable<U> => (pass.element as (value: T) => Iterable<U>)(value)
      : (value: T, context: Context): Iterable<U> => pass.element(value, context);
  let open = true;
  const warned = new Set<string>();
  const close = (): void => {
    if (!open) return;
    open = false;
    for (const warning of pass.warnings?.() ?? []) warned.add(warning);
    pass.close?.();
  };
  const begin = (): void => {
    close();
    pass = openPass(operator, worker);
    open = true;
  };
  const end = (): Iterable<U> => pass.end?.() ?? NOTHING;
  const save: DefinedCall<T>['save'] = () =>
    pass.save === undefined || pass.load === undefined ? undefined : { pass: pass.save() };
  const load: DefinedCall<T>['load'] = saved => pass.load?.(saved.pass as never);
  return { call: Object.assign(element, { begin, end, save, load }), close, warnings: () => [...warned] };
}

function openPass<T, U>(operator: Operator<T, U>, worker: WorkerContext): OperatorPass<T, U> {
  const pass = operator.open(worker);
  if (typeof pass?.element !== 'function') throw new TypeError('open() returned no { element }');
  if (/^\[object Async/.test(Object.prototype.toString.call(pass.element))) {
    throw new TypeError('element() cannot be async: do what is async in a map before it');
  }
  return pass;
}
