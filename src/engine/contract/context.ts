import type { Random } from '../../math/random.ts';
import { badOption } from '../../model/option.ts';
import type { Out } from './tensor.ts';

/** What a user function may know about the element it is given, beyond the element itself. */
export interface Context {
  /** Random numbers keyed by (seed, operator, epoch, element): the same at any parallelism. */
  readonly rng: Random;
  /** How many times the source has been started over, from 0. Behind a `cache`: how many times that has been. */
  readonly epoch: number;
  /**
   * The element's number at its source. It goes on counting over epochs; a batch has its first element's. Where a `take`
   * cuts short what a `repeat` starts over, the next pass is numbered as if the source had been read to its end, or from
   * a multiple of 2^32 where it does not say its length (all but `range`). A `cache` numbers its elements anew.
   */
  readonly index: number;
  /** Aborted when the run is being stopped. Each call of an async function has its own, which nothing aborts once the call has ended. */
  readonly signal: AbortSignal;
  /**
   * Memory for numbers that the function returns, `out(Float32Array, 3 * 224 * 224)`: where they belong in the batch of a `stack` right behind the `map`,
   * so that they are written once; else new. All of it is to be written. Once the function has returned it belongs to the batch: a function that keeps it, or
   * writes into it later, changes what others have.
   */
  readonly out: Out;
}

/** What a per-worker set-up is told. */
export interface WorkerContext {
  /** Which of the stage's lanes this is, from 0. */
  readonly lane: number;
  readonly lanes: number;
  /** Bytes of the whole run, for elements under way (`memory` of its options). */
  readonly memory: number;
  readonly signal: AbortSignal;
  /** Whether the run is being stopped, for what waits in its thread: the signal is aborted only between calls. */
  readonly stopping: () => boolean;
  /** The run is made to be measured, as by `venturi tune`: what it does outside should be left undone, or done where it does no harm. */
  readonly isTrial: boolean;
}

export type MaybePromise<T> = T | Promise<T>;

/** A function as it was set up in one worker. */
export interface SetUp<F> {
  readonly call: F;
  readonly close?: () => MaybePromise<void>;
  /** What the user of the run should know, in sentences; asked for when it was closed. */
  readonly warnings?: () => readonly string[];
  /** Every function has a `call`, and so would pass for one that was set up; it also has a `bind`. */
  readonly bind?: never;
}

/** A user function with something of its own in every worker: a model, a connection, a buffer. */
export interface PerWorker<F> {
  readonly setup: (context: WorkerContext) => MaybePromise<SetUp<F>>;
}

/**
 * Gives a user function its own state in every worker.
 *
 *     .map(perWorker(async () => {
 *       const model = await load();
 *       return { call: (x: Image) => model.run(x), close: () => model.free() };
 *     }))
 */
export function perWorker<F extends (...args: never[]) => unknown>(setup: PerWorker<F>['setup']): PerWorker<F> {
  if (typeof setup === 'function') return { setup };
  throw badOption(
    `perWorker() needs a function, got ${typeof setup}`,
    'hand over the set-up itself, perWorker(load) or perWorker(async () => ({ call, close })), not what it returns',
  );
}
