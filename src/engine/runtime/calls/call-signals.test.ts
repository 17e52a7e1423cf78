import { getEventListeners } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { define } from '../../api/define.ts';
import { perWorker } from '../../contract/context.ts';
import { range } from '../../sources/range.ts';

/** As fetch does with its signal, which it does not let go until the collector finds the request. */
const listenTo = (signal: AbortSignal): void => signal.addEventListener('abort', () => undefined);

/** Waits that all end when the signal says so. */
const many = (x: number, signal: AbortSignal): Promise<number[]> =>
  Promise.all(Array.from({ length: 32 }, () => setTimeout(1, x, { signal })));

describe('the signal of an async call', () => {
  it('is not listened to by the calls before it', async () => {
    const listeners: number[] = [];
    const pipeline = range(100).map(
      async (x, { signal }) => {
        listenTo(signal);
        listeners.push(getEventListeners(signal, 'abort').length);
        return x;
      },
      { concurrency: 4 },
    );
    await define({ url: import.meta.url }, { spec: {}, build: () => pipeline })
      .run({ parallelism: 0 })
      .drain();
    expect(listeners).toEqual(Array.from({ length: 100 }, () => 1));
  });

  it.each([
    ['a call', range(3).map(async (x, { signal }) => many(x, signal))],
    ['a set-up', range(3).map(perWorker(({ signal }) => ({ call: async (x: number) => many(x, signal) })))],
  ])('may be listened to by any number at once: of %s', async (_, pipeline) => {
    const warnings: Error[] = [];
    const heard = (warning: Error): unknown => warnings.push(warning);
    process.on('warning', heard);
    await define({ url: import.meta.url }, { spec: {}, build: () => pipeline })
      .run({ parallelism: 0 })
      .drain();
    await new Promise(resolve => setImmediate(resolve));
    process.off('warning', heard);
    expect(warnings.map(({ name }) => name)).toEqual([]);
  });

  it('is aborted when the run stops while the call is under way, and not after it', async () => {
    const signals: AbortSignal[] = [];
    let started: () => void = () => undefined;
    const underWay = new Promise<void>(resolve => {
      started = resolve;
    });
    const pipeline = range(3).map(
      async (x, { signal }) => {
        signals[x] = signal;
        if (x === 0) return x;
        if (signals.length === 3) started();
        return new Promise<number>(resolve => signal.addEventListener('abort', () => resolve(x)));
      },
      { concurrency: 3 },
    );
    const run = define({ url: import.meta.url }, { spec: {}, build: () => pipeline }).run({ parallelism: 0 });
    const drained = run.drain();
    await underWay;
    await run.stop();
    await drained;
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, true, true]);
  });
});
