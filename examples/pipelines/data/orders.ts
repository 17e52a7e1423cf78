import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Draws } from './draws.ts';
import { madeOnce } from './made-once.ts';

/** A row of the table as a CSV file gives it. */
export interface OrderRow {
  readonly id: string;
  readonly placed: string;
  readonly region: string;
  readonly category: string;
  readonly quantity: string;
  readonly price: string;
  readonly status: string;
  readonly note: string;
}

const REGIONS = ['north', 'south', 'east', 'west'];
const CATEGORIES = ['bread', 'fruit', 'books', 'tools', 'shoes', 'lamps', 'paper', 'seeds'];
const STATUSES = ['open', 'paid', 'sent', 'returned', 'cancelled'];
const NOTES = ['leave it with the neighbours', 'ring twice', 'a present, please wrap it', 'not before noon', ''];

/** A CSV file of orders. One in ten was returned. */
export const orders = (folder: string, count: number): string =>
  join(
    madeOnce(folder, `orders-${count}`, into => {
      const draws = new Draws(3);
      const rows = Array.from({ length: count }, (_, id) =>
        [
          id,
          new Date(Date.UTC(2024, 0, 1) + draws.between(0, 5e5) * 60_000).toISOString(),
          draws.pick(REGIONS),
          draws.pick(CATEGORIES),
          draws.between(1, 12),
          (draws.between(100, 20_000) / 100).toFixed(2),
          draws.uniform() < 0.1 ? 'returned' : draws.pick(STATUSES.filter(status => status !== 'returned')),
          `"${draws.pick(NOTES)}"`,
        ].join(','),
      );
      writeFileSync(
        join(into, 'orders.csv'),
        `id,placed,region,category,quantity,price,status,note\n${rows.join('\n')}\n`,
      );
    }),
    'orders.csv',
  );
