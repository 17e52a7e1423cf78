import { describe, expect, it } from 'vitest';
import { type Batch, newBatch } from '../../analysis/batches/batch.ts';
import { handOvers } from './hand-over.ts';
import { MS } from './recording.fixture.ts';

interface Receipt {
  /** Milliseconds: the wait for a batch that lay there, what of it was CPU of the consumer and a queue for a core. */
  readonly wait: number;
  readonly cpu: number;
  readonly queued: number;
  /** Its worker is at work on others all the while, or on none. */
  readonly isBusy: boolean;
}

/** Batches of one worker, each prepared long before it is asked for. */
const receipts = (count: number, { wait, cpu, queued, isBusy }: Receipt): Batch[] =>
  Array.from({ length: count }, (_, number) => {
    const prepareStart = number * 20 * MS;
    const waitStart = prepareStart + 50 * MS + (isBusy ? 0 : 5 * MS);
    const waitEnd = waitStart + wait * MS;
    return Object.assign(newBatch('loader', 1, number), {
      preparer: 2,
      prepareStart,
      prepareEnd: prepareStart + (isBusy ? 20 : 10) * MS,
      waitStart,
      waitEnd,
      arrived: waitEnd,
      waitCpu: cpu * MS,
      waitQueued: queued * MS,
    });
  });

const BESIDE = { bytes: 1000, each: 0, start: 0, transfer: 0, receive: 0, held: 9 * MS, written: 0, read: 0 };
const of = (batches: readonly Batch[], workers = 1) =>
  handOvers(batches, workers, { bytes: 1000, pace: 1, costs: BESIDE });

describe('a hand-over', () => {
  it('takes the CPU of receiving, and apart from it what a worker that works holds it up', () => {
    const { receive, held } = of(receipts(10, { wait: 5, cpu: 0.5, queued: 0.5, isBusy: true }));
    expect(receive).toEqual(Array(10).fill(0.5 * MS));
    // The last batches have no others behind them.
    expect(held.isGuessed).toBe(false);
    expect(new Set(held.receive)).toEqual(new Set([4 * MS]));
  });

  it('does not know what holds it up where workers had nothing to do: at most what was measured beside it', () => {
    const idle = of(receipts(10, { wait: 1, cpu: 0.5, queued: 0, isBusy: false }));
    expect(idle.held).toEqual({ receive: [9 * MS], isGuessed: true });
    expect(of([], 0).held).toEqual({ receive: [9 * MS], isGuessed: true });
  });

  it('sleeps in every receipt that sleeps though its worker has nothing to do', () => {
    const slow = { wait: 50, cpu: 1, queued: 0, isBusy: false };
    const { receive, asleep } = of(receipts(10, slow));
    expect(receive).toEqual(Array(10).fill(MS));
    expect(asleep).toEqual(Array(10).fill(49 * MS));
  });

  it('leaves out batches that came while an earlier one was waited for', () => {
    const early = receipts(10, { wait: 0.01, cpu: 0.01, queued: 0, isBusy: true }).map(batch => ({
      ...batch,
      arrived: batch.waitStart - MS,
    }));
    const { receive } = of([...early, ...receipts(5, { wait: 3, cpu: 2, queued: 0, isBusy: true })]);
    expect(receive).toEqual(Array(5).fill(2 * MS));
  });
});
