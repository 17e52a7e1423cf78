import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { subject } from '../model/record.ts';
import type { Sample } from '../probes/samples/sample.ts';
import { SampleWriter } from '../probes/samples/sample-writer.ts';
import { type LaneWriter, openLane } from '../store/lane-writer.ts';
import { redactRun } from '../store/redact-run.ts';
import { newRun, START } from '../store/run.fixture.ts';
import { openRun } from '../store/run-reader.ts';
import { attributeSamples } from './attribute.ts';

const MS = 1e6;
const DURATION = 1000 * MS;

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'venturi-attribute-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

const at = (ms: number, more: Partial<Sample> = {}): Sample => ({
  pid: 10,
  tid: 11,
  time: START + ms * MS,
  weight: 1 * MS,
  event: 'cpu-clock',
  symbol: 'decode_mcu',
  module: 'libjpeg.so.62',
  ...more,
});

/** A worker: idle, then a batch of two elements with a decode and a crop each, then a collation; and an untimed batch. */
function worker(lane: LaneWriter): void {
  const number = (key: string): number => lane.subjectNumber(key);
  lane.subjectNumber(subject.facts(JSON.stringify({ operator: 'collate', kind: 'collate' })));
  const span = (key: string, task: number, from: number, to: number): void =>
    lane.span(number(key), task, START + from * MS, (to - from) * MS);
  span('idle', 0, 90, 100);
  for (const from of [100, 110]) {
    span('operator:Images.__getitem__', 0, from, from + 10);
    span('operator:decode', 0, from + 1, from + 5);
    span('operator:crop', 0, from + 5, from + 9);
  }
  span('operator:collate', 0, 121, 129);
  span('prepare', 0, 100, 130);
  span('put', 0, 130, 132);
  span('operator:collate', 1, 150, 155);
  span('prepare', 1, 140, 160);
}

function recorded(samples: readonly Sample[], events = ['cpu-clock']): string {
  const run = newRun(folder(), { probe: 'pytorch' });
  const lane = openLane(run.folder, { name: 'worker 0 10', pid: 10, tid: 11 });
  worker(lane);
  lane.close(START + 170 * MS);
  const writer = new SampleWriter(run.folder, openRun(run.folder).lanes, { profiler: 'perf', events, frequency: 999 });
  for (const sample of samples) writer.add(sample);
  expect(writer.close()).toEqual([]);
  return run.folder;
}

test('samples of a run go to its operators, and the others are told apart by reason', async () => {
  const run = openRun(
    recorded([
      at(80),
      at(95),
      at(102),
      at(107, { symbol: 'ImagingResample', module: '_imaging.so' }),
      at(109.5, { symbol: 'PyEval' }),
      at(113),
      at(120.5),
      at(125, { symbol: 'memcpy' }),
      at(131),
      at(135),
      at(145),
      at(152),
      at(165),
      at(100, { tid: 12, symbol: 'feeder' }),
      at(100, { pid: 99, tid: 99, symbol: 'other' }),
      at(-500_000),
    ]),
  );
  const summary = await attributeSamples(run, { durationNs: DURATION });
  const hits = Object.fromEntries(summary?.operators.map(({ operator, hits }) => [operator, hits]) ?? []);
  expect(hits).toEqual({ decode: 2, crop: 1, 'Images.__getitem__': 1, collate: 2 });
  const reasons = Object.fromEntries(summary?.unattributed.map(({ reason, hits }) => [reason, hits]) ?? []);
  expect(reasons).toEqual({
    before: 1,
    idle: 1,
    betweenOperators: 1,
    handingOver: 1,
    betweenSpans: 1,
    untimed: 1,
    after: 1,
    otherThread: 1,
    otherProcess: 1,
    clock: 1,
  });
  expect(summary).toMatchObject({ profiler: 'perf', frequency: 999, hits: 16, inOperators: 6 / 16 });
  // Feeder included, other processes not.
  expect(summary?.inOperatorsOfWorkers).toBeCloseTo(6 / 14);
  expect(summary?.operators[0]).toMatchObject({
    operator: 'decode',
    cpu: 2 * MS,
    symbols: [{ symbol: 'decode_mcu', module: 'libjpeg.so.62', hits: 2, ofOperator: 1 }],
  });
});

test('a symbol that serves two operators is divided between them', async () => {
  const copy = { symbol: 'memcpy', module: 'libc.so.6' };
  const run = openRun(recorded([at(102, copy), at(103, copy), at(112, copy), at(125, copy)]));
  const summary = await attributeSamples(run, { durationNs: DURATION });
  expect(summary?.operators.map(({ operator, symbols: [row] }) => [operator, row?.ofSymbol])).toEqual([
    ['decode', 0.75],
    ['collate', 0.25],
  ]);
});

test('samples can be cut by time', async () => {
  const run = openRun(recorded([at(102), at(107), at(113), at(125)]));
  const cut = await attributeSamples(run, { durationNs: DURATION, from: 105 * MS, to: 120 * MS });
  expect(cut?.hits).toBe(2);
  expect(cut?.operators.map(({ operator }) => operator).sort()).toEqual(['crop', 'decode']);
});

test('each event is counted by itself, also under the name perf gives it where the kernel is hidden', async () => {
  const run = openRun(
    recorded(
      [at(102), at(103, { event: 'cycles:u', weight: 5000 }), at(104, { event: 'cycles:u', weight: 7000 })],
      ['cpu-clock', 'cycles'],
    ),
  );
  const summary = await attributeSamples(run, { durationNs: DURATION });
  expect(summary?.operators[0]?.events).toEqual([
    { event: 'cpu-clock', hits: 1, total: MS },
    { event: 'cycles', hits: 2, total: 12_000 },
  ]);
});

test('more threads than files may be open lose nothing', async () => {
  const run = newRun(folder());
  for (let tid = 0; tid < 150; tid++) {
    const lane = openLane(run.folder, { name: `t${tid}`, pid: 10, tid: 100 + tid });
    lane.span(lane.subjectNumber('operator:work'), 0, START, 500 * MS);
    lane.close(START + DURATION);
  }
  const source = { profiler: 'perf', events: ['cpu-clock'], frequency: 999 };
  const writer = new SampleWriter(run.folder, openRun(run.folder).lanes, source);
  for (let round = 0; round < 4; round++) {
    for (let tid = 0; tid < 150; tid++) writer.add(at(round * 100 + tid / 10, { tid: 100 + tid }));
  }
  writer.close();
  const summary = await attributeSamples(openRun(run.folder), { durationNs: DURATION });
  expect(summary?.operators).toMatchObject([{ operator: 'work', hits: 600 }]);
});

test('a redacted copy keeps its samples', async () => {
  const original = recorded([at(102), at(107)]);
  const copy = redactRun(original, join(folder(), 'copy'));
  const summary = await attributeSamples(openRun(copy), { durationNs: DURATION });
  expect(summary?.operators.map(({ operator, hits }) => [operator, hits])).toEqual([
    ['decode', 1],
    ['crop', 1],
  ]);
});

test('a run without samples has nothing to say', async () => {
  expect(await attributeSamples(openRun(newRun(folder()).folder), { durationNs: DURATION })).toBeUndefined();
});
