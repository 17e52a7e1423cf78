/** The page: what it costs to watch a run with it. */
import { watchCost } from './page/watch.mjs';

export default async function page(report) {
  await watchCost(report);
}
