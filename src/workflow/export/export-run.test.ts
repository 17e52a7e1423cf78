import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { EXPORT_ENDINGS, EXPORT_FORMATS } from '../../report/export-formats.ts';
import { exportRun } from './export-run.ts';

const RECORDING = fileURLToPath(new URL('../../../test/golden/recordings/pipeline-profiled.venturi', import.meta.url));

let folder = '';
const home = process.cwd();
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'venturi-export-'));
  cpSync(RECORDING, join(folder, 'p.venturi'), { recursive: true });
  process.chdir(folder);
});
afterAll(() => {
  process.chdir(home);
  rmSync(folder, { recursive: true, force: true });
});

test.each(EXPORT_FORMATS)('%s: interrupted, it leaves nothing behind', async to => {
  const stopped = exportRun('p', { to }, AbortSignal.abort());
  await expect(stopped).rejects.toMatchObject({ code: 'VENTURI_INTERRUPTED' });
  expect(readdirSync(folder)).toEqual(['p.venturi']);
});

test.each(EXPORT_FORMATS)('%s: is named after the run, and says what it leaves out', async to => {
  const { out, leftOut } = await exportRun('p', { to });
  expect(readdirSync(folder)).toEqual(['p.venturi', `p${EXPORT_ENDINGS[to]}`].sort());
  expect(out).toBe(`p${EXPORT_ENDINGS[to]}`);
  expect(leftOut.length > 0 || to === 'csv' || to === 'parquet').toBe(true);
  rmSync(out, { recursive: true });
});
