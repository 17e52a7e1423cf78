import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { METRICS } from '../model/metric.ts';
import { RECORD_KIND as K } from '../model/record.ts';
import { writeGoldenRun } from './golden.fixture.ts';
import { readAll, temporaryFolder } from './run.fixture.ts';
import { openRun } from './run-reader.ts';

const golden = (version: string): string => fileURLToPath(new URL(`./golden/${version}.venturi`, import.meta.url));

test('the run that 0.1.0 wrote is read as it was', () => {
  const run = openRun(golden('0.1.0'));
  expect(run).toMatchObject({ complete: true, recovered: false, problems: [] });
  expect(run.manifest).toMatchObject({
    writer: '0.1.0',
    name: 'golden',
    start: '8000000000000000',
    host: { coresUsable: 1.5, coresLimit: 'cgroup-v2' },
    parameters: { images: 12 },
    redacted: false,
    outcome: { status: 'completed', monotonic: '8000005000030000', warnings: [] },
  });
  expect(run.manifest.graph?.operators.map(({ id, inputs }) => [id, inputs])).toEqual([
    ['files', []],
    ['décodage', ['files']],
  ]);
  expect(run.manifest.graph?.operators).toMatchObject([
    { elements: 'same', sequential: true, keepsValues: true, origin: true, stateful: true },
    { elements: 'same', sequential: false, keepsValues: false, callsFunction: true, parallelism: 1 },
  ]);
  expect(run.lanes).toEqual([
    { index: 0, uuid: '00000000-0000-4000-8000-000000000001', name: 'files#1', pid: 100, tid: 101, opened: 1000 },
    { index: 1, uuid: '00000000-0000-4000-8000-000000000002', name: 'décodage#1', pid: 100, tid: 102, opened: 1500 },
  ]);
  const record = (
    lane: string,
    kind: number,
    subject: string,
    start: number,
    duration = 0,
    sequence = 0,
    flags = 0,
  ) => ({
    lane,
    kind,
    flags,
    subject,
    sequence,
    start,
    duration,
  });
  expect(readAll(run)).toEqual([
    record('files#1', K.clock, 'clock:realtime', 0),
    record('files#1', K.clockValue, 'clock:realtime', 1_735_787_045_678_000_000),
    record('files#1', K.span, 'operator:files', 2000, 500),
    record('files#1', K.cpu, 'operator:files', 400, 50),
    record('files#1', K.bytes, 'operator:files', 0, 4096),
    record('files#1', K.elements, 'operator:files', 0, 8),
    record('files#1', K.counter, 'channel:files→décodage', 10_000, 7000, 1, METRICS.occupancy.code),
    record('files#1', K.counter, 'lane', 10_000, 450, 1, METRICS.running.code),
    record('files#1', K.end, 'lane', 20_000),
    record('décodage#1', K.span, 'operator:décodage', 3000, 5_000_000_000),
    record('décodage#1', K.elements, 'operator:décodage', 8, 8),
    record('décodage#1', K.counter, 'operator:décodage', 5_000_010_000, 8, 1, METRICS.elementsOut.code),
    record('décodage#1', K.end, 'lane', 5_000_020_000),
  ]);
});

test('this version still writes the golden run byte for byte: a change of format needs a new version', () => {
  const folder = join(temporaryFolder(), 'fresh.venturi');
  writeGoldenRun(folder);
  const contents = (run: string) =>
    ['run.json', ...readdirSync(join(run, 'lanes')).map(name => join('lanes', name))].map(name => [
      name,
      readFileSync(join(run, name)).toString('hex'),
    ]);
  expect(contents(folder)).toEqual(contents(golden('0.1.0')));
});
