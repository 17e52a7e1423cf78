import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { METRICS } from '../model/metric.ts';
import { RECORD_KIND } from '../model/record.ts';
import { openLane } from './lane-writer.ts';
import { readAll, temporaryFolder } from './run.fixture.ts';
import { openRun } from './run-reader.ts';

const page = readFileSync(new URL('../../docs/run-format.md', import.meta.url), 'utf8');
const UUID = '00112233-4455-4677-8899-aabbccddeeff';

/** The example of the page as bytes; each row begins with its offset. */
function exampleBytes(): Buffer {
  const rows = /```hex\n([\s\S]*?)```/.exec(page)?.[1]?.trim().split('\n') ?? [];
  const bytes: number[] = [];
  for (const row of rows) {
    const [offset, ...values] = row.trim().split(/\s+/);
    expect(Number(offset)).toBe(bytes.length);
    bytes.push(...values.map(value => Number.parseInt(value, 16)));
  }
  return Buffer.from(bytes);
}

test('the example of the format page is a lane, and means what the page says', () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'lanes'));
  writeFileSync(join(folder, 'lanes', `${UUID}.0.lane`), exampleBytes());
  const run = openRun(folder);
  expect(run.lanes).toEqual([{ index: 0, uuid: UUID, name: 'decode#1', pid: 4242, tid: 4243, opened: 0 }]);
  const shared = { lane: 'decode#1', flags: 0 };
  const decode = { subject: 'operator:decode', sequence: 3 };
  expect(readAll(run)).toEqual([
    { ...shared, ...decode, kind: RECORD_KIND.span, start: 1_000_000, duration: 5_000_000_000 },
    { ...shared, ...decode, kind: RECORD_KIND.cpu, start: 4_200_000_000, duration: 600_000_000 },
    { ...shared, kind: RECORD_KIND.end, subject: 'lane', sequence: 0, start: 5_002_000_000, duration: 0 },
  ]);
});

test('the example is what the writer writes', () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'lanes'));
  const lane = openLane(folder, {
    name: 'decode#1',
    pid: 4242,
    tid: 4243,
    uuid: UUID,
    processStart: 4_999_000_000_000n,
    opened: 5_000_000_000_000n,
  });
  lane.span(lane.subjectNumber('operator:decode'), 3, 5_000_001_000_000, 5_000_000_000);
  lane.cpu(4_200_000_000, 600_000_000);
  lane.close(5_005_002_000_000);
  expect(readFileSync(join(folder, 'lanes', `${UUID}.0.lane`)).toString('hex')).toBe(exampleBytes().toString('hex'));
});

test('the page lists every kind of record and every metric, and no other', () => {
  const cells = page.split('\n').map(line => line.split('|').map(cell => cell.trim()));
  const kinds = cells
    .filter(row => row.length === 9 && /^\d+$/.test(row[1] ?? ''))
    .map(row => [row[2], Number(row[1])]);
  expect(kinds).toEqual(Object.entries(RECORD_KIND));
  const metrics = cells.filter(row => row[3] === 'total' || row[3] === 'gauge');
  expect(metrics.map(row => row.slice(1, 5))).toEqual(
    Object.entries(METRICS).map(([name, { code, shape, unit }]) => [String(code), name, shape, unit]),
  );
});
