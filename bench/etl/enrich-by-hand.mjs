/** `node enrich-by-hand.mjs ORDERS SERVICE OUT`: orders with their customers, in JSON Lines, 16 look-ups at once, as one would write it with Node alone. */
import { readFile, writeFile } from 'node:fs/promises';
import { enrich } from './enrich-orders.mjs';

const AT_ONCE = 16;

const [path, service, out] = process.argv.slice(2);
const orders = (await readFile(path, 'utf8'))
  .split('\n')
  .filter(line => line !== '')
  .map(line => JSON.parse(line));
const enriched = new Array(orders.length);
let next = 0;

async function work() {
  while (next < orders.length) {
    const at = next++;
    enriched[at] = await enrich(orders[at], service);
  }
}

await Promise.all(Array.from({ length: AT_ONCE }, work));
await writeFile(out, enriched.map(order => `${JSON.stringify(order)}\n`).join(''));
