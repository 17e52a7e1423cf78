import { expect, test } from 'vitest';
import { fitted } from './fitted.ts';

/** A font whose letters are 8 px wide, and those of East Asian scripts 15. */
const measure = (text: string): number =>
  [...text].reduce((sum, letter) => sum + ((letter.codePointAt(0) ?? 0) > 0x2e80 ? 15 : 8), 0);

test('a text is cut to the width there is, whatever script it is in', () => {
  for (const text of ['decode', 'x'.repeat(10_000), '画像を復号する段階', 'a b c d e f g h i j k l m n']) {
    const shown = fitted(text, 80, '14px any', measure);
    expect(measure(shown)).toBeLessThanOrEqual(80);
    expect(shown === text || shown.endsWith('…')).toBe(true);
  }
  expect(fitted('decode', 80, '14px any', measure)).toBe('decode');
});
