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
  expect([...decoder.subject]).toEqual([-1, -1]);
});
