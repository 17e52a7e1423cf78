import { describe, expect, it } from 'vitest';
import { AsyncCalls } from './async-calls.ts';

/** Calls that end when the test says so. */
function controlled(concurrency: number) {
  const open = new Map<unknown, { resolve(value: unknown): void; reject(error: unknown): void }>();
  const started: unknown[] = [];
  const calls = new AsyncCalls(
    element =>
      new Promise((resolve, reject) => {
        started.push(element);
        open.set(element, { resolve, reject });
      }),
    concurrency,
  );
  const end = async (element: number): Promise<void> => {
    open.get(element)?.resolve(element * 10);
    open.delete(element);
    await new Promise(resolve => setImmediate(resolve));
  };
  const fail = async (element: number, error: unknown): Promise<void> => {
    open.get(element)?.reject(error);
    open.delete(element);
    await new Promise(resolve => setImmediate(resolve));
  };
  const add = (from: number, to: number): void => {
    const values = Array.from({ length: to - from }, (_, at) => from + at);
    calls.add({ values, sequence: values, sub: values.map(() => 0) }, values.length);
  };
  return { calls, started, open, end, fail, add };
}

/** Whether a promise has settled by now. */
const settled = async (promise: Promise<unknown>): Promise<boolean> => {
  const later = new Promise(resolve => setImmediate(() => resolve('later')));
  return (await Promise.race([promise.catch(() => undefined), later])) !== 'later';
};

describe('AsyncCalls', () => {
  it('has as many calls under way as it may, and gives results in order', async () => {
    const { calls, started, end, add } = controlled(2);
    add(0, 4);
    expect(started).toEqual([0, 1]);
    await end(1);
    expect(started).toEqual([0, 1, 2]);
    expect(calls.take().values).toEqual([]);
    await end(0);
    expect(calls.take()).toEqual({ calls: 2, values: [0, 10], sequence: [0, 1], sub: [0, 0] });
    await end(2);
    await end(3);
    expect(calls.take().values).toEqual([20, 30]);
    expect(calls.empty).toBe(true);
  });

  it('lets others go on behind a slow call, also those of elements added later', async () => {
    const { calls, started, end, add } = controlled(2);
    add(0, 3);
    await end(1);
    await end(2);
    await calls.progress(false);
    add(3, 5);
    expect(started).toEqual([0, 1, 2, 3]);
    await end(3);
    await end(4);
    expect(calls.take().values).toEqual([]);
    await end(0);
    expect(calls.take().values).toEqual([0, 10, 20, 30, 40]);
  });

  it('keeps no more than so many results behind a slow call', async () => {
    const { started, end, add } = controlled(2);
    add(0, 100);
    for (let element = 1; element < 100; element++) await end(element);
    expect(started.length).toBe(64);
    await end(0);
    expect(started.length).toBe(64);
  });

  it('asks for more as soon as a call could be started, and waits for all where nothing follows', async () => {
    const { calls, end, add } = controlled(2);
    add(0, 2);
    const [more, all] = [calls.progress(false), controlled(2)];
    expect(await settled(more)).toBe(false);
    await end(1);
    expect(await settled(more)).toBe(true);
    all.add(0, 2);
    const last = all.calls.progress(true);
    await all.end(1);
    expect(await settled(last)).toBe(false);
    await all.end(0);
    expect(await settled(last)).toBe(true);
  });

  it('tells a failure once nothing is under way any more, and starts nothing else', async () => {
    const { calls, started, end, fail, add } = controlled(2);
    add(0, 5);
    const waiting = calls.progress(true);
    await fail(1, new Error('no'));
    expect(await settled(waiting)).toBe(false);
    await end(0);
    await expect(waiting).rejects.toThrow('no');
    expect(started).toEqual([0, 1]);
  });

  it('can be given up: what is under way ends, nothing else is started, and it can be used again', async () => {
    const { calls, started, end, add } = controlled(2);
    add(0, 5);
    const given = calls.abandon();
    await end(0);
    expect(await settled(given)).toBe(false);
    await end(1);
    await given;
    expect(started).toEqual([0, 1]);
    expect(calls.empty).toBe(true);
    add(7, 8);
    expect(started).toEqual([0, 1, 7]);
  });
});
