import type { RecentLoader } from '../../analysis/batches/recent.ts';
import { batchCount, percent, rate } from '../format.ts';

/** Short, so that all of it stands in 80 cells. */
const LIMITS: Readonly<Record<RecentLoader['bound'], string>> = {
  preparation: 'limit: preparation',
  order: 'limit: order',
  transfer: 'limit: handing over',
  consumer: 'limit: consumer',
  start: 'limit: start of workers',
  balanced: 'nearly keeps up',
  unclear: 'too few to say more',
};

/** What a loader does now, in a line. */
export const recentLoaderLine = ({ loader, batches, batchesPerSecond, waitShare, bound }: RecentLoader): string =>
  `${loader}  ${batchCount(batches)}  ${rate(batchesPerSecond)}  waits ${percent(waitShare)}  ${LIMITS[bound]}`;
