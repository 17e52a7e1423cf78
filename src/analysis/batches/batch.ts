import { groupedBy } from '../../math/groups.ts';
import { sumOf } from '../../math/totals.ts';

/** The preparing side of a batch: what one lane did as a task. Moments are ns since the run's start. */
export interface Preparation {
  prepareStart: number;
  prepareEnd: number;
  /** CPU time of the preparing thread, and the time it queued for a core, ns. */
  cpu: number;
  runDelay: number;
  elements: number;
  /** Size of the batch; most are not measured. */
  bytes: number;
  /** When it was handed to the thread that sends it. */
  put: number;
}

export const newPreparation = (prepareStart: number, prepareEnd: number): Preparation => ({
  prepareStart,
  prepareEnd,
  cpu: Number.NaN,
  runDelay: Number.NaN,
  elements: 0,
  bytes: Number.NaN,
  put: Number.NaN,
});

/**
 * A batch from a loader's order to the end of the consumer's step. Moments are ns since the run's start, NaN where
 * they were not recorded: the recording was cut, or a lane was lost.
 */
export interface Batch extends Preparation {
  readonly loader: string;
  /** The consumer's process; batches are numbered through it. */
  readonly consumer: number;
  readonly number: number;
  /** The pass over the loader, numbered through the consumer's process. */
  pass: number;
  /** Process that prepares it, and the number of that task in it. */
  preparer: number;
  task: number;
  dispatched: number;
  pinStart: number;
  pinEnd: number;
  arrived: number;
  waitStart: number;
  waitEnd: number;
  consumeEnd: number;
  /** Idle time of the device before this batch, and duration of its step there, ns; NaN where no device was timed. */
  deviceWait: number;
  deviceStep: number;
  /** CPU time of the consumer's process, and time its thread queued for a core, ns: during the wait and during the step. */
  waitCpu: number;
  waitQueued: number;
  consumeCpu: number;
  consumeQueued: number;
}

/** Written out: with a spread in it, V8 makes batches several times as slowly. */
export const newBatch = (loader: string, consumer: number, number: number): Batch => ({
  loader,
  consumer,
  number,
  pass: -1,
  preparer: -1,
  task: -1,
  dispatched: Number.NaN,
  prepareStart: Number.NaN,
  prepareEnd: Number.NaN,
  cpu: Number.NaN,
  runDelay: Number.NaN,
  elements: 0,
  bytes: Number.NaN,
  put: Number.NaN,
  pinStart: Number.NaN,
  pinEnd: Number.NaN,
  arrived: Number.NaN,
  waitStart: Number.NaN,
  waitEnd: Number.NaN,
  consumeEnd: Number.NaN,
  deviceWait: Number.NaN,
  deviceStep: Number.NaN,
  waitCpu: Number.NaN,
  waitQueued: Number.NaN,
  consumeCpu: Number.NaN,
  consumeQueued: Number.NaN,
});

/** It reached the consumer. Others were ordered and never asked for, or belong to an end of stream. */
export const isConsumed = (batch: Batch): boolean => !Number.isNaN(batch.waitEnd);

/** Moments of a batch that its times follow from. */
export type BatchMoments = Pick<Batch, 'prepareStart' | 'prepareEnd' | 'waitStart' | 'waitEnd' | 'consumeEnd'>;

/** T1: the time its preparation took. */
export const preparationTime = (batch: BatchMoments): number => batch.prepareEnd - batch.prepareStart;

/** T2: the consumer's wait for it. */
export const waitTime = (batch: BatchMoments): number => batch.waitEnd - batch.waitStart;

/** From prepared to in the consumer's hands (Lotus §III). */
export const delayTime = (batch: BatchMoments): number => Math.max(0, batch.waitEnd - batch.prepareEnd);

export const consumeTime = (batch: Batch): number => batch.consumeEnd - batch.waitEnd;

/** Fewer steps than this on a device say nothing about the others. */
const FEWEST_ON_DEVICE = 5;

/**
 * Mean length of the consumer's step, in ns: the device's where enough steps were timed there, because a host that has
 * handed its work to a device is through long before it; else the host's.
 */
export function meanStep(batches: readonly Batch[]): number {
  const known = (times: readonly number[]): number[] => times.filter(time => !Number.isNaN(time));
  const device = known(batches.map(batch => batch.deviceStep));
  const steps = device.length >= FEWEST_ON_DEVICE ? device : known(batches.map(consumeTime));
  return sumOf(steps, step => step) / Math.max(1, steps.length);
}

/** Batches by the pass they belong to. */
export const passesOf = (batches: readonly Batch[]): Batch[][] => [
  ...groupedBy(batches, ({ consumer, pass }) => `${consumer}:${pass}`).values(),
];
