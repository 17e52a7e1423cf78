import { delayTime, preparationTime, waitTime } from '../../analysis/batches/batch.ts';
import { heading } from '../blocks.ts';
import { figures, names, table } from '../columns.ts';
import { batchCount, count, percent, preciseTime } from '../format.ts';
import type { BatchesData, LoaderBatches } from '../page/batches.ts';
import type { Block, Report } from '../tree.ts';

const MOST_ROWS = 20;

/** Of each loader the batches that were waited for longest. */
export const batchesReport = ({ loaders }: BatchesData): Report => loaders.flatMap(loaderBlocks);

function loaderBlocks(loader: LoaderBatches): Block[] {
  const longest = loader.batches.toSorted((a, b) => waitTime(b) - waitTime(a)).slice(0, MOST_ROWS);
  return [
    heading(loader.name, `the longest waits; ${batchWords(loader)}`),
    table(longest, [
      figures('batch', ({ number }) => String(number)),
      figures('preparation', batch => preciseTime(preparationTime(batch))),
      figures('wait', batch => preciseTime(waitTime(batch))),
      figures('delay', batch => preciseTime(delayTime(batch))),
      names('order', ({ isOutOfOrder }) => (isOutOfOrder ? 'before an earlier one' : '')),
    ]),
  ];
}

/** `40 batches, 3 of them (7.5 %) out of order`; and how many are here one by one. */
export function batchWords({ consumed, outOfOrder, batches }: LoaderBatches): string {
  const order = `${batchCount(consumed)}, ${count(outOfOrder)} of them (${percent(outOfOrder / Math.max(1, consumed))}) out of order`;
  return batches.length === consumed ? order : `${order}; here are the ${count(batches.length)} with the longest waits`;
}
