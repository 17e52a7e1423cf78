import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { KIND_OFFSET, RECORD_BYTES, RECORD_KIND } from '../model/record.ts';
import { HEADER_BYTES } from './lane-header.ts';
import { openLane } from './lane-writer.ts';
import { newRun, readAll, START } from './run.fixture.ts';
import { openRun } from './run-reader.ts';

function writeLane(records: readonly number[]) {
  const run = newRun();
  const lane = openLane(run.folder, { name: 'a lane with quite a long name', pid: 1, tid: 2 });
  for (const [index, value] of records.entries()) {
    lane.span(lane.subjectNumber(`operator:number ${value % 7}`), index, START + index, value);
    if (value % 3 === 0) lane.cpu(value, 1);
    if (value % 5 === 0) lane.counter(0, 16, START, value, index);
  }
  lane.close(START);
  const path = join(run.folder, 'lanes', `${lane.uuid}.0.lane`);
  return { folder: run.folder, path, whole: readFileSync(path), records: readAll(openRun(run.folder)) };
}

/** Records other than dictionary entries that lie whole in the first `length` bytes. */
function wholeRecords(file: Uint8Array, length: number): number {
  let count = 0;
  for (let at = HEADER_BYTES; at + RECORD_BYTES <= length; at += RECORD_BYTES) {
    if (file[at + KIND_OFFSET] !== RECORD_KIND.text) count++;
  }
  return count;
}

describe('a lane cut at any byte', () => {
  test('is read up to there: every byte of a small one', () => {
    const { folder, path, whole, records } = writeLane([1, 15, 3, 4, 99]);
    for (let length = whole.length; length >= 0; length--) {
      truncateSync(path, length);
      const run = openRun(folder);
      expect(readAll(run)).toEqual(
        length < HEADER_BYTES
          ? []
          : records.slice(0, wholeRecords(whole, length)).map(record => ({ ...record, lane: run.lanes[0]?.name })),
      );
      expect(run.problems.length).toBe(length === whole.length ? 0 : 1);
    }
  });

  test('is read up to there: any byte of any lane, cut off or never committed', () => {
    const cut = fc.record({
      values: fc.array(fc.nat(1e6), { maxLength: 300 }),
      at: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    fc.assert(
      fc.property(cut, fc.boolean(), ({ values, at }, zeroed) => {
        const { folder, path, whole, records } = writeLane(values);
        const length = Math.floor(HEADER_BYTES + 72 + at * (whole.length - HEADER_BYTES - 72));
        const committed = HEADER_BYTES + Math.floor((length - HEADER_BYTES) / RECORD_BYTES) * RECORD_BYTES;
        if (zeroed) writeFileSync(path, Buffer.from(whole).fill(0, committed));
        else truncateSync(path, length);
        expect(readAll(openRun(folder))).toEqual(records.slice(0, wholeRecords(whole, length)));
      }),
      { numRuns: 60 },
    );
  });

  test('holds nothing behind the first record that was not committed', () => {
    const { folder, path, whole, records } = writeLane([1, 1, 1, 1]);
    const second = whole.length - 4 * RECORD_BYTES;
    const damaged = Buffer.from(whole);
    damaged[second + KIND_OFFSET] = RECORD_KIND.none;
    writeFileSync(path, damaged);
    expect(readAll(openRun(folder))).toEqual(records.slice(0, 1));
  });
});

describe('a damaged lane', () => {
  test('never stops the reader, whichever bytes were changed', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 20 }), changes => {
        const { folder, path, whole } = writeLane([1, 15, 3, 4, 99, 5, 6, 7]);
        const damaged = Buffer.from(whole);
        for (const [at, value] of changes) damaged[at % damaged.length] = value;
        writeFileSync(path, damaged);
        const run = openRun(folder);
        // A changed byte may make a record an inner one, which holds two spans.
        expect(readAll(run).length).toBeLessThanOrEqual(2 * wholeRecords(damaged, damaged.length));
        if (run.lanes.length === 0) expect(run.problems[0]?.message).toContain('was passed over');
      }),
      { numRuns: 100 },
    );
  });

  test('has records of unknown kinds passed over', () => {
    const { folder, path, whole, records } = writeLane([1, 1, 1]);
    const damaged = Buffer.from(whole);
    damaged[whole.length - 3 * RECORD_BYTES + KIND_OFFSET] = 200;
    writeFileSync(path, damaged);
    expect(readAll(openRun(folder))).toEqual([records[0], records[2], records[3]]);
  });

  test.each([
    ['magic', 0, 'does not begin with the mark of a lane'],
    ['version', 8, 'its format 255 is newer than 1'],
    ['record size', 10, 'its records have 255 bytes'],
    ['header size', 12, 'its header has 255 bytes'],
    ['clock', 14, 'its clock 255 is not known'],
  ])('with an unknown %s is passed over by name, and the others are read', (_, at, reason) => {
    const { folder, path, whole } = writeLane([1]);
    openLane(folder, { name: 'sound', pid: 1, tid: 3 }).close(START);
    const damaged = Buffer.from(whole);
    damaged[at] = 255;
    writeFileSync(path, damaged);
    const run = openRun(folder);
    expect(run.lanes.map(lane => lane.name)).toEqual(['sound']);
    expect(run.problems).toEqual([{ code: 'VENTURI_WARN_LANE_SKIPPED', message: expect.stringContaining(reason) }]);
  });
});
