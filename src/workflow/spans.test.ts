import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { openRun } from '../store/run-reader.ts';
import { summariseSpans } from './spans.ts';

test('summarises the spans of a run on disk by subject', async () => {
  const run = openRun(fileURLToPath(new URL('../store/golden/0.1.0.venturi', import.meta.url)));
  const rows = await summariseSpans(run);
  expect(rows).toEqual([
    { subject: 'operator:files', count: 1, mean: 500, p50: 500, p90: 500, p99: 500 },
    { subject: 'operator:décodage', count: 1, mean: 5e9, p50: 5e9, p90: 5e9, p99: 5e9 },
  ]);
});
