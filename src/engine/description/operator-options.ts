import type { Node, UserFunction } from '../compile/node.ts';
import type { Context, PerWorker } from '../contract/context.ts';
import type { JoinKind } from '../operators/hash-join.ts';

export interface OperatorOptions {
  /** What to call it in tables, plans and `--set`. Unique in the pipeline. */
  readonly name?: string;
}

/** `fail` ends the run, `skip` gives up the element and goes on; with `retries`, only after that many further tries. */
export type OnError = 'fail' | 'skip' | { readonly retries: number; readonly otherwise?: 'fail' | 'skip' };

export interface FunctionOptions extends OperatorOptions {
  /** What to do when the function throws. The run fails unless this says otherwise. */
  readonly onError?: OnError;
  /** Threads that share the work. Absent: it rides in the thread of the operator before it. */
  readonly parallelism?: number;
  /**
   * false: the function gives the same for the same element every time, so that a plan may keep its results; true: it does
   * not. Absent: what was seen of it while it was recorded counts.
   */
  readonly random?: boolean;
  /** The function promises not to keep byte arrays it is given: they are lent instead of copied. */
  readonly borrow?: boolean;
}

export interface MapOptions extends FunctionOptions {
  /** Async functions: calls under way at once in each thread. */
  readonly concurrency?: number;
}

export interface ForEachOptions extends MapOptions {
  /** It may be tried out as often as need be: it has no effect outside, or leaves that be in a trial (`isTrial` of `perWorker`). */
  readonly harmless?: boolean;
}

export interface ApplyOptions extends OperatorOptions {
  /** Threads that share the work of a divisible operator. */
  readonly parallelism?: number;
}

export interface BatchOptions extends OperatorOptions {
  /** Leaves out what is left over at the end of a pass. */
  readonly dropRemainder?: boolean;
  /** 1: a thread of its own. Absent: threads before it make whole batches themselves, where as many elements leave them as arrive. */
  readonly parallelism?: 1;
}

export interface CacheOptions extends OperatorOptions {
  /** Keeps the elements in a file in this folder, where later runs find them. Absent: in memory, for this run. */
  readonly folder?: string;
  /** Bytes it may keep. In memory the run's memory budget where absent; on disk as much as fits. */
  readonly limit?: number;
  /**
   * On disk: says which version this is of what the engine cannot see, be it the data of `from()` and `objects()` or the
   * functions that an operator's function calls. Another version is another cache.
   */
  readonly version?: string | number;
}

export interface KeepOptions extends OperatorOptions {
  /** Bytes of elements and keys that it may keep until the end of its pass; the run's memory budget where absent. */
  readonly limit?: number;
}

export interface JoinOptions extends KeepOptions {
  /** `inner` (unless given): pairs that match; `left`: and left elements without a match; `semi`, `anti`: left elements with a match, or without one. */
  readonly how?: JoinKind;
}

export type Mapper<T, U> = (element: T, context: Context) => U;

/** What is said of an operator where it is put behind another. */
export interface Step<T> {
  readonly options: OperatorOptions;
  /** What it reads from besides. */
  readonly others?: readonly Node[];
  readonly madeOf?: readonly UserFunction[];
  readonly call?: Mapper<T, unknown> | PerWorker<Mapper<T, unknown>>;
  readonly concurrency?: number;
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly harmless?: boolean | undefined;
  /** It copies what it is lent. */
  readonly borrow?: boolean;
  /** The options of a kind from elsewhere. */
  readonly otherOptions?: readonly (keyof ApplyOptions)[];
}
