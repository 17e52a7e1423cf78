import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { plainText } from './plain-text.ts';
import { pad, textWidth, truncate, wrap } from './width.ts';

const text = fc.string({ unit: 'grapheme' }).map(plainText);

test.each([
  ['abc', 3],
  ['', 0],
  ['解码', 4],
  ['ﾃﾞｺｰﾄﾞ', 6],
  ['한국', 4],
  ['é', 1],
  ['e\u0301', 1],
  ['🚀', 2],
  ['👩\u200d💻', 2],
  ['µ±…', 3],
  ['╭─█▏', 4],
])('%s is %i cells wide', (shown, width) => {
  expect(textWidth(shown)).toBe(width);
});

describe('truncate', () => {
  test('marks what was cut and keeps what fits', () => {
    expect(truncate('decode', 6)).toBe('decode');
    expect(truncate('decode images', 7)).toBe('decode…');
    expect(truncate('解码图像', 6)).toBe('解码…');
    expect(truncate('解码图像', 7)).toBe('解码图…');
    expect(truncate('decode', 0)).toBe('');
  });

  test('never exceeds its width', () => {
    fc.assert(
      fc.property(text, fc.nat(30), (given, width) => {
        expect(textWidth(truncate(given, width))).toBeLessThanOrEqual(width);
      }),
    );
  });
});

test('pad fills to the width in cells', () => {
  expect(pad('解', 4, 'left')).toBe('解  ');
  expect(pad('7', 3, 'right')).toBe('  7');
});

describe('wrap', () => {
  test('breaks at spaces, and inside a word that is too long', () => {
    expect(wrap('the quick brown fox', 10)).toEqual(['the quick', 'brown fox']);
    expect(wrap('a /very/long/path/name end', 8)).toEqual(['a', '/very/lo', 'ng/path/', 'name end']);
    expect(wrap('', 8)).toEqual(['']);
  });

  test('loses nothing but spaces and exceeds no width', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 2, max: 40 }), (given, width) => {
        const lines = wrap(given, width);
        expect(lines.join('').replaceAll(' ', '')).toBe(given.replaceAll(' ', ''));
        for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(width);
      }),
    );
  });
});
