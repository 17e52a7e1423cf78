import { type Batch, type BatchMoments, isConsumed, passesOf, waitTime } from '../../analysis/batches/batch.ts';
import type { BatchFacts } from '../../analysis/batches/fold.ts';
import { outOfOrderIn } from '../../analysis/batches/pass.ts';
import type { BatchSummary } from '../../analysis/batches/summary.ts';

/** Batches of a program one by one, by loader. */
export interface BatchesData {
  readonly loaders: readonly LoaderBatches[];
}

export interface LoaderBatches {
  readonly name: string;
  /** Batches that reached the consumer: as many as `batches` has, or more. */
  readonly consumed: number;
  readonly outOfOrder: number;
  /** In the order in which the consumer asked for them. */
  readonly batches: readonly PageBatch[];
}

/** Moments are ns of the run; NaN where they were not recorded. */
export interface PageBatch extends BatchMoments, Pick<Batch, 'number' | 'consumer' | 'preparer'> {
  /** It arrived before one that was ordered earlier. */
  readonly isOutOfOrder: boolean;
}

/** Batches of a loader that a page has one by one, about 200 bytes each. */
const MOST_BATCHES = 4000;

/** Of a loader with very many batches: those that were waited for longest. */
export function batchesOf(facts: BatchFacts, { loaders }: BatchSummary, most = MOST_BATCHES): BatchesData {
  return {
    loaders: loaders
      .filter(({ batches }) => batches > 0)
      .map(({ name, outOfOrder }) => {
        const consumed = facts.batches.filter(batch => batch.loader === name && isConsumed(batch));
        const early = new Set(passesOf(consumed).flatMap(outOfOrderIn));
        const kept =
          consumed.length <= most ? consumed : consumed.toSorted((a, b) => waitTime(b) - waitTime(a)).slice(0, most);
        const batches = kept
          .toSorted((a, b) => a.waitStart - b.waitStart)
          .map(batch => pageBatch(batch, early.has(batch)));
        return { name, consumed: consumed.length, outOfOrder, batches };
      }),
  };
}

const pageBatch = (batch: Batch, isOutOfOrder: boolean): PageBatch => {
  const { number, consumer, preparer, prepareStart, prepareEnd, waitStart, waitEnd, consumeEnd } = batch;
  return { number, consumer, preparer, prepareStart, prepareEnd, waitStart, waitEnd, consumeEnd, isOutOfOrder };
};
