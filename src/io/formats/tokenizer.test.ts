import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ByteTokenizer, type ByteTokenizerOptions } from './tokenizer.ts';

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Half a surrogate pair has no bytes in UTF-8: it becomes the replacement character, here as there. */
const wellFormed = (text: string): string => new TextDecoder('utf-8', { ignoreBOM: true }).decode(utf8(text));

/** The same by strings: split with a regular expression, look up in a Map. */
function reference(
  text: string,
  vocabulary: ReadonlyMap<string, number>,
  { unknown = 0, lowercase }: ByteTokenizerOptions,
): number[] {
  const lowered = lowercase === true ? text.replace(/[A-Z]/g, letter => letter.toLowerCase()) : text;
  const tokens = lowered.match(/[0-9A-Za-z\u{80}-\u{10ffff}]+|[^\t-\r ]/gu) ?? [];
  return tokens.map(token => vocabulary.get(token) ?? unknown);
}

/** Text in which words come again, in two cases, among marks, spaces and any Unicode. */
const piece = fc.oneof(
  fc.constantFrom(
    'the',
    'The',
    'THE',
    'naïve',
    'NAÏVE',
    'żółw',
    '🐢',
    "don't",
    'x2',
    '\u00a0',
    '\ufeff',
    '\ud800',
    'K',
    '\0',
  ),
  fc.constantFrom(' ', '\n', '\t', '\v', '\r\n', '.', '-', '_', '\x7f'),
  fc.string({ unit: 'binary', maxLength: 4 }),
  fc.string({ unit: 'grapheme', maxLength: 4 }),
);
const text = fc.array(piece, { maxLength: 40 }).map(pieces => pieces.join(''));

describe('ByteTokenizer', () => {
  it('gives the ids that splitting and a Map give, for any Unicode', () => {
    fc.assert(
      fc.property(
        text,
        fc.array(fc.tuple(piece, fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 })), { maxLength: 60 }),
        fc.record({ unknown: fc.integer({ min: -5, max: 5 }), lowercase: fc.boolean() }, { requiredKeys: [] }),
        (given, entries, options) => {
          const vocabulary = new Map(entries.map(([token, id]) => [wellFormed(token), id]));
          const tokenizer = new ByteTokenizer(vocabulary, options);
          const ids = reference(wellFormed(given), vocabulary, options);
          expect([...tokenizer.encode(given)]).toEqual(ids);
          expect([...tokenizer.encode(utf8(given))]).toEqual(ids);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('finds every token of a large vocabulary', () => {
    const words = Array.from({ length: 20_000 }, (_, i) => `w${i.toString(36)}`);
    const ids = new ByteTokenizer(words, { unknown: -1 }).encode(`${words.join(' ')} w`);
    expect([...ids]).toEqual([...words.keys(), -1]);
  });

  it('tells tokens of one hash apart', () => {
    // FNV-1a, 32 bits: 0x5e4daa9d for two words of different lengths, 0xa1bc9a4f for two of the same.
    for (const [one, other] of [
      ['costarring', 'liquid'],
      ['glbvs', 'yacxa'],
    ] as const) {
      expect([...new ByteTokenizer(['', one, other]).encode(`${other} ${one}`)]).toEqual([2, 1]);
      expect([...new ByteTokenizer(['', one]).encode(`${other} ${one}`)]).toEqual([0, 1]);
    }
  });

  it('keeps words whole beyond ASCII and marks single', () => {
    const tokenizer = new ByteTokenizer(['?', 'naïve', 'turtle', '!', 'żółw'], { lowercase: true });
    expect([...tokenizer.encode('Naïve  TURTLE!!\nżółw ŻÓŁW')]).toEqual([1, 2, 3, 3, 4, 0]);
    expect([...tokenizer.encode(' \t\r\n')]).toEqual([]);
    expect([...tokenizer.encode('')]).toEqual([]);
  });

  it('gives each call an array of its own', () => {
    const tokenizer = new ByteTokenizer(new Map([['a', 7]]));
    const first = tokenizer.encode('a a a');
    const second = tokenizer.encode('b');
    expect([[...first], [...second]]).toEqual([[7, 7, 7], [0]]);
    expect(first.buffer.byteLength).toBe(3 * 4);
  });

  it('knows nothing with an empty vocabulary, and the later of two equal tokens', () => {
    expect([...new ByteTokenizer([], { unknown: 9 }).encode('a b')]).toEqual([9, 9]);
    expect([...new ByteTokenizer(['a', 'b', 'a']).encode('a b')]).toEqual([2, 1]);
  });

  it('refuses ids that 32 bits cannot hold', () => {
    const badOption = expect.objectContaining({ code: 'VENTURI_BAD_OPTION' });
    expect(() => new ByteTokenizer(new Map([['a', 2 ** 31]]))).toThrow(badOption);
    expect(() => new ByteTokenizer(new Map([['a', 0.5]]))).toThrow(badOption);
    expect(() => new ByteTokenizer([], { unknown: Number.NaN })).toThrow(badOption);
  });
});
