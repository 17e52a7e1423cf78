import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { replaceFile } from '../../files/atomic-file.ts';
import { jobText } from '../../probes/steps/kineto/trace.fixture.ts';
import { csvLine } from '../../report/csv.ts';
import { exportRun } from './export-run.ts';

const RECORDINGS = fileURLToPath(new URL('../../../test/golden/recordings/', import.meta.url));

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'venturi-tables-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  replaceFile(join(folder, 'steps.json'), jobText({}));
});

const pathOf = (run: string): string => (run.endsWith('.json') ? join(folder, run) : join(RECORDINGS, run));

/** A file of Parquet as CSV would have it. */
async function asCsv(file: string): Promise<string> {
  const rows = await parquetReadObjects({ file: await asyncBufferFromFile(file) });
  const columns = Object.keys(rows[0] ?? {});
  const plain = (value: unknown) => (typeof value === 'bigint' ? Number(value) : (value ?? undefined));
  return [csvLine(columns), ...rows.map(row => csvLine(columns.map(name => plain(row[name]) as string)))].join('');
}

describe('tables of a run', () => {
  test.each(['pipeline-joined.venturi', 'program-sampled.venturi', 'steps.json'])(
    '%s: Parquet has what CSV has',
    async run => {
      const [csv, parquet] = [join(folder, 'csv'), join(folder, 'parquet')];
      const { files } = await exportRun(pathOf(run), { to: 'csv', out: csv });
      await exportRun(pathOf(run), { to: 'parquet', out: parquet });
      const names = files.map(name => name.replace('.csv', ''));
      expect(readdirSync(parquet).sort()).toEqual(names.map(name => `${name}.parquet`).sort());
      for (const name of names) {
        const text = readFileSync(join(csv, `${name}.csv`), 'utf8');
        // A file without rows does not tell its columns to this reader.
        if (text.split('\n').length <= 2) continue;
        expect(await asCsv(join(parquet, `${name}.parquet`))).toBe(text);
      }
    },
  );

  test('one of them by its name', async () => {
    const out = join(folder, 'one.csv');
    const result = await exportRun(pathOf('pipeline-joined.venturi'), { to: 'csv', table: 'operators', out });
    expect([result.files, readdirSync(folder).sort()]).toEqual([[], ['one.csv', 'steps.json']]);
    expect(readFileSync(out, 'utf8')).toMatch(/^id,label,/);
    await expect(
      exportRun(pathOf('pipeline-joined.venturi'), { to: 'csv', table: 'nothing', out }),
    ).rejects.toMatchObject({ code: 'VENTURI_USAGE', remedy: expect.stringContaining('operators, lanes, channels') });
    await expect(exportRun(pathOf('pipeline-joined.venturi'), { to: 'html', table: 'run', out })).rejects.toMatchObject(
      { remedy: 'It is for --to csv and --to parquet.' },
    );
  });
});
