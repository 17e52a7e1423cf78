/**
 * Rows of a table for a model of what gets returned: parsed, nine of ten dropped, turned into numbers, shuffled and batched.
 * Parsing CSV cannot be divided, so more threads bring little; but what the filter leaves is small enough to keep.
 *
 *     venturi run examples/pipelines/tabular.ts --epochs 20 --record tabular
 */
import { csv, pipeline } from 'venturi/engine';
import { EXAMPLES } from './data/made-once.ts';
import { type OrderRow, orders } from './data/orders.ts';
import { featuresOf } from './parts/features.ts';

const PARAMETERS = { folder: EXAMPLES, rows: 50_000, batch: 100 };

export default pipeline(import.meta, PARAMETERS, ({ folder, rows, batch }) =>
  csv<OrderRow>(orders(folder, rows), { name: 'orders' })
    .filter(({ status }) => status === 'returned', { name: 'returned' })
    .map(featuresOf, { name: 'features' })
    .shuffle(2000)
    .batch(batch),
);
