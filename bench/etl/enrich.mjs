/** Orders with their customers, in JSON Lines: what enrich-by-hand.mjs does. */
import { jsonl, pipeline } from 'venturi/engine';
import { enrich } from './enrich-orders.mjs';

export default pipeline(import.meta, { orders: String, service: String, out: String }, ({ orders, service, out }) =>
  jsonl(orders)
    .map(async order => enrich(order, service), { name: 'enrich', concurrency: 16 })
    .writeJsonl(out),
);
