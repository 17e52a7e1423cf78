import { expect, test } from 'vitest';
import { imagesInfo } from '../results/run-info.fixture.ts';
import { renderText } from '../text.ts';
import { doctorReport } from './doctor-report.ts';

test('what works, what is limited, what is missing and how to get it', () => {
  const report = doctorReport({
    schemaVersion: 1,
    host: imagesInfo.manifest.host,
    checks: [
      { id: 'cores', title: 'usable cores', status: 'ok', detail: '2, limited by the container' },
      {
        id: 'perf',
        title: 'perf',
        status: 'missing',
        detail: 'no such program',
        remedy: 'apt install linux-tools-generic',
      },
      { id: 'jpeg', title: 'JPEG decoder', status: 'limited', detail: 'the slow one', remedy: 'npm install x' },
    ],
  });
  expect(renderText(report, { width: 80 })).toMatchInlineSnapshot(`
    "1 of 3 checks are fine here; 1 limited, 1 missing

    linux x64 6.1 · node 20.19.0 · Fast CPU · 2 of 4 cores usable · 8.00 GB of 16.0
    GB of memory usable

      ✓ usable cores: 2, limited by the container
      ✗ perf (missing): no such program
        → apt install linux-tools-generic
      ! JPEG decoder (limited): the slow one
        → npm install x
    "
  `);
});
