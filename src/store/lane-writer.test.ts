import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { METRICS } from '../model/metric.ts';
import { MAX_U48, RECORD_KIND, subject } from '../model/record.ts';
import { openLane } from './lane-writer.ts';
import { newRun, type ReadRecord, readAll, START } from './run.fixture.ts';
import { openRun } from './run-reader.ts';

const LANE = { name: 'decode#1', pid: 7, tid: 8 };

const key = fc.string({ unit: 'binary', minLength: 1, maxLength: 60 }).filter(text => !text.includes('\0'));
const u48 = fc.maxSafeInteger().map(n => Math.abs(n) % (MAX_U48 + 1));
const calls = fc.array(
  fc.oneof(
    fc.record({
      call: fc.constant('span' as const),
      key,
      sequence: fc.nat(2 ** 31 - 1).map(n => n * 2),
      start: fc.nat(2 ** 31 - 1),
      value: u48,
    }),
    fc.record({ call: fc.constantFrom('cpu' as const, 'bytes' as const, 'elements' as const), first: u48, value: u48 }),
    fc.record({
      call: fc.constant('counter' as const),
      key,
      flags: fc.nat(255),
      start: fc.nat(2 ** 31 - 1),
      value: u48,
    }),
  ),
  { maxLength: 60 },
);

describe('a lane', () => {
  test('gives back what was written, whatever that was', () => {
    fc.assert(
      fc.property(calls, written => {
        const run = newRun();
        const lane = openLane(run.folder, LANE);
        const expected: Omit<ReadRecord, 'lane'>[] = [];
        let last = { subject: subject.lane as string, sequence: 0 };
        for (const made of written) {
          if (made.call === 'span') {
            lane.span(lane.subjectNumber(made.key), made.sequence, START + made.start, made.value);
            last = { subject: made.key, sequence: made.sequence };
            expected.push({ kind: RECORD_KIND.span, flags: 0, ...last, start: made.start, duration: made.value });
          } else if (made.call === 'counter') {
            lane.counter(lane.subjectNumber(made.key), made.flags, START + made.start, made.value, 9);
            const { key: of, flags, start, value } = made;
            expected.push({ kind: RECORD_KIND.counter, flags, subject: of, sequence: 9, start, duration: value });
          } else {
            lane[made.call](made.first, made.value);
            expected.push({ kind: RECORD_KIND[made.call], flags: 0, ...last, start: made.first, duration: made.value });
          }
        }
        lane.close(START + 77);
        expected.push({ kind: RECORD_KIND.end, flags: 0, subject: 'lane', sequence: 0, start: 77, duration: 0 });
        const opened = openRun(run.folder);
        expect(readAll(opened)).toEqual(expected.map(record => ({ lane: LANE.name, ...record })));
        expect(opened.problems).toEqual([]);
      }),
      { numRuns: 40 },
    );
  });

  test('names itself by dictionary entry 0, under the key `lane`', () => {
    const run = newRun();
    const lane = openLane(run.folder, { ...LANE, opened: BigInt(START) + 5n });
    expect(lane.subjectNumber(subject.lane)).toBe(0);
    expect(lane.subjectNumber('operator:a')).toBe(1);
    expect(lane.subjectNumber('operator:a')).toBe(1);
    lane.counter(0, METRICS.running.code, START, 3, 0);
    lane.close(START);
    const opened = openRun(run.folder);
    expect(opened.lanes).toEqual([{ index: 0, uuid: lane.uuid, name: 'decode#1', pid: 7, tid: 8, opened: 5 }]);
    expect(readAll(opened)[0]).toMatchObject({ subject: 'lane', flags: METRICS.running.code, duration: 3 });
  });

  test('keeps a clock snapshot exact to the nanosecond', () => {
    const run = newRun();
    const lane = openLane(run.folder, LANE);
    lane.clockSnapshot('realtime', START + 1, 2n ** 63n + 1n);
    lane.close(START);
    const [snapshot, value] = readAll(openRun(run.folder));
    expect(snapshot).toMatchObject({ kind: RECORD_KIND.clock, subject: 'clock:realtime', start: 1 });
    expect(value).toMatchObject({
      kind: RECORD_KIND.clockValue,
      subject: 'clock:realtime',
      start: Number(2n ** 63n + 1n),
    });
  });

  test('is cut to its real length when it is closed', () => {
    const run = newRun();
    const lane = openLane(run.folder, LANE);
    const path = join(run.folder, 'lanes', `${lane.uuid}.0.lane`);
    expect(statSync(path).size).toBe(256 * 1024);
    lane.close(START);
    expect(statSync(path).size).toBe(96 + 24 + 24);
  });

  test('lowers values above 2^48-1 with one warning', () => {
    const run = newRun();
    const lane = openLane(run.folder, LANE);
    for (const value of [MAX_U48, 2 ** 48, Number.POSITIVE_INFINITY]) lane.span(0, 0, START, value);
    lane.close(START);
    expect(lane.warnings).toEqual(['Lane decode#1: holds a value above 2^48-1, which was lowered to that.']);
    expect(readAll(openRun(run.folder)).map(record => record.duration)).toEqual([MAX_U48, MAX_U48, MAX_U48, 0]);
  });

  test('takes NaN and negative times for 0 and stays readable', () => {
    const run = newRun(undefined, { start: '0' });
    const lane = openLane(run.folder, LANE);
    for (const bad of [Number.NaN, -1, -1e300, Number.NEGATIVE_INFINITY]) lane.span(0, 1, bad, bad);
    lane.span(0, 2, 10, 20);
    lane.close(30);
    const records = readAll(openRun(run.folder));
    expect(records.slice(0, 4).every(record => record.start === 0 && record.duration === 0)).toBe(true);
    expect(records[4]).toMatchObject({ sequence: 2, start: 10, duration: 20 });
    expect(records).toHaveLength(6);
  });

  test('stops with a warning where it cannot even be opened', () => {
    const lane = openLane(join(newRun().folder, 'absent'), LANE);
    lane.span(lane.subjectNumber('operator:a'), 0, START, 1);
    lane.clockSnapshot('realtime', START, 1n);
    lane.close();
    expect(lane.stopped).toBe(true);
    expect(lane.warnings).toEqual([
      'Lane decode#1: no longer recorded: the file system refused (ENOENT). What it wrote before stays readable.',
    ]);
  });

  test('is light: its module brings in neither zod nor the rest of the store', async () => {
    const entry = new URL('./lane-writer.ts', import.meta.url).pathname;
    const { metafile } = await build({
      entryPoints: [entry],
      bundle: true,
      platform: 'node',
      write: false,
      metafile: true,
    });
    const loaded = Object.keys(metafile.inputs).map(path => path.replace(/^.*src\//, ''));
    expect(loaded.sort()).toEqual([
      'model/record.ts',
      'store/lane-header.ts',
      'store/lane-warnings.ts',
      'store/lane-writer.ts',
      'store/text-entry.ts',
    ]);
  });
});

describe('a lane with a size cap', () => {
  const CAP = 256 * 1024;

  function writeCapped(spans: number) {
    const run = newRun();
    const lane = openLane(run.folder, { ...LANE, maxBytes: CAP });
    const decode = lane.subjectNumber('operator:decode');
    let largest = 0;
    for (let index = 0; index < spans; index++) {
      lane.span(decode, index, START + index, 1);
      if (index % 500 === 0) largest = Math.max(largest, bytesIn(join(run.folder, 'lanes')));
    }
    lane.counter(decode, METRICS.elementsOut.code, START, spans, 0);
    lane.close(START);
    return { run, lane, largest };
  }

  const bytesIn = (folder: string): number =>
    readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);

  test('never takes more than its cap, and keeps its first and its latest spans', () => {
    const { run, lane, largest } = writeCapped(100_000);
    expect(largest).toBeGreaterThan(CAP / 2);
    expect(largest).toBeLessThanOrEqual(CAP);
    expect(readdirSync(join(run.folder, 'lanes'))).toHaveLength(4);
    const opened = openRun(run.folder);
    const records = readAll(opened);
    const sequences = records.filter(record => record.kind === RECORD_KIND.span).map(record => record.sequence);
    expect(sequences[0]).toBe(0);
    expect(sequences.at(-1)).toBe(99_999);
    expect(
      sequences.filter((sequence, index) => index > 0 && sequence !== (sequences[index - 1] ?? 0) + 1),
    ).toHaveLength(1);
    expect(records.every(record => record.subject === 'operator:decode' || record.kind === RECORD_KIND.end)).toBe(true);
    expect(records.at(-2)).toMatchObject({ kind: RECORD_KIND.counter, duration: 100_000 });
    expect(lane.warnings).toEqual([
      'Lane decode#1: reached its size cap: spans from the middle of the run were rotated out.',
    ]);
    expect(opened.problems).toEqual([
      {
        code: 'VENTURI_WARN_LANE_SEGMENTS_MISSING',
        message: expect.stringMatching(/^Lane decode#1 lacks \d+ of its \d+ segments: rotated out or lost\.$/),
      },
    ]);
  });

  test('warns of nothing while the cap is not reached', () => {
    const { run, lane } = writeCapped(8000);
    expect(readdirSync(join(run.folder, 'lanes'))).toHaveLength(3);
    expect(lane.warnings).toEqual([]);
    expect(readAll(openRun(run.folder))).toHaveLength(8002);
  });

  test('has every segment stand alone, however subjects fall on its ends', () => {
    const run = newRun();
    const lane = openLane(run.folder, { ...LANE, maxBytes: CAP });
    for (let index = 0; index < 300; index++) {
      const number = lane.subjectNumber(`operator:${'long name '.repeat(3)}${index}`);
      for (let span = 0; span < 40; span++) lane.span(number, index, START, 1);
    }
    lane.close(START);
    const records = readAll(openRun(run.folder));
    expect(records.filter(record => record.subject === undefined)).toEqual([]);
    for (const record of records.filter(({ kind }) => kind === RECORD_KIND.span)) {
      expect(record.subject?.endsWith(`long name ${record.sequence}`)).toBe(true);
    }
  });

  test.each([0, 1])('never divides a clock pair between segments (%i records before the first)', before => {
    const run = newRun();
    const lane = openLane(run.folder, { ...LANE, maxBytes: CAP });
    for (let index = 0; index < before; index++) lane.span(0, index, START, 1);
    for (let index = 0; index < 9000; index++) lane.clockSnapshot('realtime', START + index, BigInt(index));
    lane.close(START);
    expect(lane.warnings).toHaveLength(1);
    const records = readAll(openRun(run.folder));
    const snapshots = records.flatMap((record, index) => (record.kind === RECORD_KIND.clock ? [index] : []));
    expect(snapshots.length).toBeGreaterThan(4000);
    const alone = snapshots.filter(index => {
      const value = records[index + 1];
      return value?.kind !== RECORD_KIND.clockValue || value.start !== records[index]?.start;
    });
    expect(alone).toEqual([]);
  });

  test('stops with a warning when its dictionary fills the cap', () => {
    const run = newRun();
    const lane = openLane(run.folder, { ...LANE, maxBytes: CAP });
    for (let index = 0; index < 400; index++) lane.subjectNumber(`operator:${'x'.repeat(200)}${index}`);
    lane.close();
    expect(lane.warnings).toEqual([expect.stringContaining('its dictionary leaves too little room')]);
    expect(openRun(run.folder).lanes).toHaveLength(1);
  });
});
