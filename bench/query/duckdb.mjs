/** DuckDB on the same tables: what it answers, and how long it takes on one thread. It is installed by `npm install --prefix bench`. */

import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { isDate } from './tpch.mjs';

const DAY = 86_400_000;
const PACKAGE = '@duckdb/node-api';

async function writeCsv(path, table) {
  const out = createWriteStream(path);
  const names = Object.keys(table);
  const field = (name, value) =>
    isDate(name) ? new Date(value * DAY).toISOString().slice(0, 10) : typeof value === 'string' ? `"${value}"` : value;
  for (let row = 0; row < table[names[0]].length; row++) {
    const line = `${names.map(name => field(name, table[name][row])).join(',')}\n`;
    if (!out.write(line)) await once(out, 'drain');
  }
  out.end();
  await once(out, 'finish');
}

const typeOf = (name, value) => {
  if (typeof value === 'string') return 'VARCHAR';
  if (isDate(name)) return 'DATE';
  return /(key|size|qty|linenumber|shippriority)$/.test(name) ? 'INTEGER' : 'DOUBLE';
};

/** Tables by name, each an array for each column, in a database in memory. Fails where DuckDB is not installed. */
export async function openDuckdb(data, folder) {
  const { DuckDBInstance } = await import(PACKAGE);
  const connection = await (await DuckDBInstance.create(':memory:', { threads: '1' })).connect();
  for (const [name, table] of Object.entries(data)) {
    const path = join(folder, `${name}.csv`);
    await writeCsv(path, table);
    const columns = Object.entries(table).map(([column, values]) => `${column} ${typeOf(column, values[0])}`);
    await connection.run(`create table ${name} (${columns.join(', ')})`);
    await connection.run(`copy ${name} from '${path}' (format csv, header false)`);
  }
  return {
    /** Rows as objects of numbers, texts (dates too) and null. */
    async rows(sql) {
      const reader = await connection.runAndReadAll(sql);
      return reader
        .getRowObjects()
        .map(row =>
          Object.fromEntries(
            Object.entries(row).map(([name, value]) => [
              name,
              typeof value === 'bigint'
                ? Number(value)
                : value !== null && typeof value === 'object'
                  ? dateOrNumber(value)
                  : value,
            ]),
          ),
        );
    },
    run: sql => connection.runAndReadAll(sql),
  };
}

const dateOrNumber = value =>
  typeof value.days === 'number' ? new Date(value.days * DAY).toISOString().slice(0, 10) : Number(value.toString());
