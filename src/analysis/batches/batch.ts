/**
 * A batch on its way from a loader's order to the end of the consumer's step. Moments are ns since the run's start, NaN
 * where nothing recorded them: a recording that was cut, a lane that was lost.
 */
export interface Batch {
  readonly loader: string;
  /** The consumer's process; batches are numbered through it. */
  readonly consumer: number;
  readonly number: number;
  /** The pass over the loader, numbered through the consumer's process. */
  pass: number;
  /** Who prepares it, and as its how-manieth task. */
  preparer: number;
  task: number;
  dispatched: number;
  prepareStart: number;
  prepareEnd: number;
  /** CPU of the preparing thread, and its wait for a core, in ns. */
  cpu: number;
  runDelay: number;
  elements: number;
  /** What it holds; of most batches nobody measured it. */
  bytes: number;
  put: number;
  pinStart: number;
  pinEnd: number;
  arrived: number;
  waitStart: number;
  waitEnd: number;
  consumeEnd: number;
  /** Where a device was asked: how long it stood still for this batch, and how long its step took there, in ns. */
  deviceWait: number;
  deviceStep: number;
  /** While it was waited for and consumed: CPU of the consumer's whole process, and its thread's wait for a core, in ns. */
  waitCpu: number;
  waitQueued: number;
  consumeCpu: number;
  consumeQueued: number;
}

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

/** What one lane did as a task: the preparing side of a batch. */
export interface Preparation {
  start: number;
  end: number;
  cpu: number;
  runDelay: number;
  elements: number;
  bytes: number;
  put: number;
}

/** It reached the consumer. Others were ordered and never asked for, or belong to an end of stream. */
export const isConsumed = (batch: Batch): boolean => !Number.isNaN(batch.waitEnd);

/** T1: the time its preparation took. */
export const preparationTime = (batch: Batch): number => batch.prepareEnd - batch.prepareStart;

/** T2: the consumer's wait for it. */
export const waitTime = (batch: Batch): number => batch.waitEnd - batch.waitStart;

/** From prepared to in the consumer's hands (Lotus §III). */
export const delayTime = (batch: Batch): number => Math.max(0, batch.waitEnd - batch.prepareEnd);

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
  return steps.reduce((sum, step) => sum + step, 0) / Math.max(1, steps.length);
}

/** Batches by the pass they belong to. */
export function passesOf(batches: readonly Batch[]): Batch[][] {
  const passes = new Map<string, Batch[]>();
  for (const batch of batches) {
    const key = `${batch.consumer}:${batch.pass}`;
    const pass = passes.get(key);
    if (pass === undefined) passes.set(key, [batch]);
    else pass.push(batch);
  }
  return [...passes.values()];
}
