import fc from 'fast-check';
import { expect, test } from 'vitest';
import { rounds } from '../../../test/fixtures/depth.ts';
import { JitTable } from './jit-table.ts';
import { readJitDump } from './jitdump.ts';

const START = 0x7f0000001000;

const record = (kind: number, time: number, body: Buffer): Buffer => {
  const head = Buffer.alloc(16);
  head.writeUInt32LE(kind, 0);
  head.writeUInt32LE(16 + body.length, 4);
  head.writeBigUInt64LE(BigInt(time), 8);
  return Buffer.concat([head, body]);
};

const words = (...values: number[]): Buffer => {
  const bytes = Buffer.alloc(8 * values.length);
  for (const [at, value] of values.entries()) bytes.writeBigUInt64LE(BigInt(value), 8 * at);
  return bytes;
};

const header = (): Buffer => {
  const bytes = Buffer.alloc(40);
  bytes.writeUInt32LE(0x4a695444, 0);
  bytes.writeUInt32LE(1, 4);
  bytes.writeUInt32LE(40, 8);
  return bytes;
};

const load = (time: number, start: number, size: number, name: string): Buffer =>
  record(0, time, Buffer.concat([words(0, start, start, size, 1), Buffer.from(`${name}\0`), Buffer.alloc(size)]));

const lines = (start: number, entries: readonly (readonly [number, number])[]): Buffer =>
  record(
    2,
    0,
    Buffer.concat([
      words(start, entries.length),
      ...entries.map(([offset, line], at) => {
        const numbers = Buffer.alloc(8);
        numbers.writeUInt32LE(line, 0);
        const name = at === 0 ? Buffer.from('venturi:q\0') : Buffer.from([0xff, 0]);
        return Buffer.concat([words(start + offset + 64), numbers, name]);
      }),
    ]),
  );

const DUMP = Buffer.concat([
  header(),
  lines(START, [
    [0, 16777217],
    [8, 16777219],
  ]),
  load(100, START, 32, 'JS:*pipeline0 venturi:q:16777217:20'),
  load(200, START, 32, 'JS:^other file:///a/b.mjs:3:1'),
]);

test('leads an address at a moment to the line of the code that was there', () => {
  const dump = readJitDump(DUMP);
  expect(dump?.unread).toBe(0);
  const table = new JitTable(dump?.codes ?? []);
  expect(table.placeOf(START + 7, 150)).toEqual({
    name: 'pipeline0',
    file: 'venturi:q',
    firstLine: 16777217,
    firstColumn: 20,
    line: 16777217,
  });
  expect(table.placeOf(START + 8, 150)?.line).toBe(16777219);
  expect(table.placeOf(START + 8, 250)).toMatchObject({ name: 'other', file: 'file:///a/b.mjs', line: 0 });
  expect(table.placeOf(START + 8, 99)).toBeUndefined();
  expect(table.placeOf(START + 32, 250)).toBeUndefined();
});

test('knows the function of every tier, as each V8 writes it', () => {
  for (const sign of ['~', '^', '*', '+', 'o+', 'o*', "*'", "o+'", '']) {
    const name = `JS:${sign}busy venturi:busy:16777217:16`;
    const code = { name, start: START, size: 8, since: 0, addresses: [], lines: [] };
    expect(new JitTable([code]).placeOf(START, 1), sign).toMatchObject({ name: 'busy', file: 'venturi:busy' });
  }
  const unnamed = { name: 'JS:* file:///a/b.mjs:3:1', start: START, size: 8, since: 0, addresses: [], lines: [] };
  expect(new JitTable([unnamed]).placeOf(START, 1)).toMatchObject({ name: '', file: 'file:///a/b.mjs', firstLine: 3 });
});

test('code that moves takes its lines along', () => {
  const moved = record(1, 300, words(0, 0, START, START + 8192, 32, 1));
  const codes = readJitDump(Buffer.concat([DUMP.subarray(0, DUMP.length), moved]))?.codes ?? [];
  expect(new JitTable(codes).placeOf(START + 8192, 400)?.name).toBe('other');
});

test('what is no dump is told apart', () => {
  expect(readJitDump(Buffer.alloc(0))).toBeUndefined();
  expect(readJitDump(Buffer.alloc(100))).toBeUndefined();
});

test('a dump that was cut gives what is whole before the cut', () => {
  for (let length = 40; length < DUMP.length; length++) {
    const cut = readJitDump(DUMP.subarray(0, length));
    expect(cut?.codes.length).toBeLessThan(2);
  }
  expect(readJitDump(DUMP.subarray(0, DUMP.length - 1))).toMatchObject({
    codes: [{ name: expect.stringContaining('pipeline0') }],
  });
});

test('damaged dumps are read without a fault, and in memory of their own size', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.nat(DUMP.length - 1), fc.integer({ min: 0, max: 255 })), { maxLength: 40 }),
      fc.nat(DUMP.length),
      (changes, length) => {
        const bytes = Buffer.from(DUMP.subarray(0, length));
        for (const [at, value] of changes) if (at < length) bytes[at] = value;
        const dump = readJitDump(bytes);
        if (dump === undefined) return;
        const table = new JitTable(dump.codes);
        for (const { start, size } of dump.codes) {
          expect(size).toBeLessThanOrEqual(length);
          table.placeOf(start, 1000);
        }
      },
    ),
    { numRuns: rounds(2000, 50_000) },
  );
});
