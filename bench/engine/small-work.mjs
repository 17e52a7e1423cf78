/** What every side of the small-element cases does, and how what comes out of it is consumed and measured. */
import { cpuSeconds } from '../harness.mjs';

export const BATCH = 256;
export const triple = x => x * 3;
export const isEven = x => (x & 1) === 0;
export const increment = x => x + 1;

export const reading = () => ({ cpu: cpuSeconds(), wall: performance.now() / 1e3 });

/**
 * Sums every batch of `count` source elements. The steady state lies between the first batch and the last. `passed`
 * says how many elements have left the source when the clock is read: what lies between may be full of elements that
 * were paid for before, and those do not count. It is told how many batches were taken.
 */
export function summing(count, passed) {
  const kept = count / 2;
  const batches = Math.ceil(kept / BATCH);
  const marks = [1, batches >> 1, batches];
  const began = reading();
  const readings = [];
  let next = marks[0];
  let taken = 0;
  let sum = 0;

  /**
   * One place for all readings: V8 compiles `take` after the first of them, and a reading in a branch not seen until
   * then would make it throw that code away in the middle of what is measured.
   */
  const mark = () => {
    readings.push({ left: count - passed(taken), ...reading() });
    return marks[readings.length] ?? 0;
  };

  const take = batch => {
    let total = sum;
    for (let index = 0; index < batch.length; index++) total += batch[index];
    sum = total;
    if (++taken === next) next = mark();
  };

  /** To be called when everything has ended, threads included. */
  const result = () => {
    // The even x below count, tripled and incremented.
    const expected = 3 * kept * (kept - 1) + kept;
    if (taken !== batches || sum !== expected) {
      throw new Error(`${batches} batches that sum to ${expected} were expected, ${taken} came with ${sum}`);
    }
    const end = reading();
    const [first, half, last] = readings;
    return {
      cpu: (last.cpu - first.cpu) / first.left,
      wall: (last.wall - first.wall) / first.left,
      secondHalfCpu: (last.cpu - half.cpu) / half.left,
      totalCpu: (end.cpu - began.cpu) / count,
      startUpCpu: end.cpu - began.cpu - (last.cpu - first.cpu),
    };
  };

  return { take, result };
}
