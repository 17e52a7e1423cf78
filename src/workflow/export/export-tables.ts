import { join } from 'node:path';
import { ParquetTable } from '../../io/formats/parquet-table.ts';
import { VenturiError } from '../../model/errors.ts';
import { csvLine } from '../../report/csv.ts';
import type { FlatCell } from '../../report/flat-rows.ts';
import type { ExportTable } from './export-table.ts';
import type { Exported, Exporter, ExportJob } from './exporter.ts';
import { runTables } from './run-tables.ts';
import { stepTables } from './step-tables.ts';
import type { WrittenFiles } from './written-files.ts';

type WriteTable = (table: ExportTable, path: string, files: WrittenFiles) => Promise<void>;

/** Tables as files of a folder, or the one that is named as a file. */
const tablesExporter = (ending: 'csv' | 'parquet', write: WriteTable): Exporter => {
  const writeAll = async (
    tables: readonly ExportTable[],
    { out, files, table: wanted }: ExportJob,
  ): Promise<Exported> => {
    if (wanted !== undefined) {
      const table = tables.find(({ name }) => name === wanted) ?? unknownTable(wanted, tables);
      await write(table, out, files);
      return { leftOut: ['all other tables: without --table they are there'] };
    }
    files.folder(out);
    for (const table of tables) await write(table, join(out, `${table.name}.${ending}`), files);
    return { files: tables.map(({ name }) => `${name}.${ending}`), leftOut: [] };
  };
  return {
    run: async (run, job) => writeAll(await runTables(run), job),
    steps: async ({ trace }, job) => {
      const { leftOut, ...exported } = await writeAll(stepTables(trace), job);
      return { ...exported, leftOut: [...leftOut, 'dependencies between operations'] };
    },
    takes: ['table'],
  };
};

function unknownTable(name: string, tables: readonly ExportTable[]): never {
  throw new VenturiError('VENTURI_USAGE', `There is no table '${name}'.`, {
    remedy: `There are: ${tables.map(table => table.name).join(', ')}.`,
  });
}

export const csvExporter = tablesExporter('csv', async ({ columns, rows }, path, files) => {
  function* lines(): Generator<string, void, undefined> {
    yield csvLine([...columns.keys()]);
    for (const row of rows()) yield csvLine(row);
  }
  await files.write(path, lines());
});

/** Bytes of values that become a row group: what lies in memory at a time. */
const ROW_GROUP_BYTES = 4 * 2 ** 20;

export const parquetExporter = tablesExporter('parquet', async ({ columns, rows }, path, files) => {
  const table = new ParquetTable(await import('hyparquet-writer'), files.open(path), 'snappy', columns);
  const types = [...columns];
  for (const row of rows()) {
    table.add(Object.fromEntries(types.map(([name, type], at) => [name, storedCell(row[at], type)])));
    if (table.bytes < ROW_GROUP_BYTES) continue;
    table.endGroup();
    await files.pause();
  }
  table.finish();
});

/** A value as its column holds it. Clocks may have fractions of a nanosecond, and what is not finite is not known. */
function storedCell(cell: FlatCell, type: string): FlatCell {
  if (typeof cell === 'number' && !Number.isFinite(cell)) return undefined;
  if (type === 'int64') return typeof cell === 'number' ? Math.round(cell) : undefined;
  return type === 'string' && cell !== undefined ? String(cell) : cell;
}
