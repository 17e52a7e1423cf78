import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RECORD_KIND, writeRecord } from '../model/record.ts';
import { LaneDictionary, RecordDecoder, SubjectTable } from './record-decoder.ts';

test('moments are exact to the nanosecond, also where a double could not hold them', () => {
  const u64 = fc.bigInt({ min: 0n, max: 2n ** 63n });
  const offset = fc.bigInt({ min: -(2n ** 53n), max: 2n ** 53n });
  fc.assert(
    fc.property(u64, offset, (origin, since) => {
      const moment = origin + since < 0n ? origin - since : origin + since;
      const words = new Uint32Array(6);
      writeRecord(words, 0, RECORD_KIND.span, 0, 0, 0, 0, 0);
      words[0] = Number(moment & 0xffffffffn);
      words[1] = Number(moment >> 32n);
      const decoder = new RecordDecoder(1, origin);
      decoder.decode(words, new Uint8Array(words.buffer), 0, 6, new LaneDictionary(new SubjectTable(), 'lane'));
      expect(decoder.start[0]).toBe(Number(moment - origin));
    }),
  );
});

test('a subject that the lane never named is -1', () => {
  const words = new Uint32Array(12);
  writeRecord(words, 0, RECORD_KIND.span, 0, 5, 0, 0, 0);
  writeRecord(words, 6, RECORD_KIND.span, 0, 2 ** 32 - 1, 0, 0, 0);
  const decoder = new RecordDecoder(2, 0n);
  decoder.decode(words, new Uint8Array(words.buffer), 0, 12, new LaneDictionary(new SubjectTable(), 'lane'));
  expect([...decoder.subject.subarray(0, decoder.count)]).toEqual([-1, -1]);
});

test('spans packed two to a record come out one by one, inside the span before them', () => {
  const words = new Uint32Array(24);
  writeRecord(words, 0, RECORD_KIND.span, 0, 0, 7, 1000, 500);
  // First: 10 ns after the outer one's start, for 20 ns. Second: 40 ns after, for 50 ns.
  words.set([10, 20, 40, (RECORD_KIND.inner << 16) | 3, 50, 4], 6);
  words.set([60, 70, 0, (RECORD_KIND.inner << 16) | 3, 0, 0], 12);
  writeRecord(words, 18, RECORD_KIND.task, 0, 0, 7, 5 + 3 * 2 ** 32, 4242);
  const decoder = new RecordDecoder(4, 0n);
  const dictionary = new LaneDictionary(new SubjectTable(), 'lane');
  dictionary.numbers.set([0, 1, 2, 3, 4]);
  const bytes = new Uint8Array(words.buffer);
  const rows = (): number[][] =>
    Array.from({ length: decoder.count }, (_, row) =>
      [decoder.kind, decoder.subject, decoder.sequence, decoder.start, decoder.duration].map(
        column => column[row] ?? -1,
      ),
    );
  const inner = [
    [RECORD_KIND.inner, 3, 7, 1010, 20],
    [RECORD_KIND.inner, 4, 7, 1040, 50],
    [RECORD_KIND.inner, 3, 7, 1060, 70],
  ];
  const task = [RECORD_KIND.task, 0, 7, 5 + 3 * 2 ** 32, 4242];
  decoder.decode(words, bytes, 0, 24, dictionary);
  expect(rows()).toEqual([[RECORD_KIND.span, 0, 7, 1000, 500], ...inner, task]);
  // The outer span may have come in an earlier block.
  decoder.decode(words, bytes, 6, 24, dictionary);
  expect(rows()).toEqual([...inner, task]);
});
