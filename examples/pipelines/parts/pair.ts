import type { Row } from 'venturi/engine';
import { PADDING, tokensOf } from './tokens.ts';

export interface EncodedPair {
  readonly source: Int32Array;
  readonly target: Int32Array;
}

/** One way to write each character, one space between words. */
export const cleaned = ([source, target]: readonly [string, string]): readonly [string, string] => [
  clean(source),
  clean(target),
];

const clean = (line: string): string =>
  line
    .normalize('NFKC')
    .replace(/[^\p{L}\p{N}.,!?' ]/gu, ' ')
    .replace(/ +/g, ' ')
    .trim();

export const encoded = ([source, target]: readonly [string, string]): EncodedPair => ({
  source: tokensOf(source),
  target: tokensOf(target),
});

/** Translations are about as long as what they translate. */
export const belongTogether = ({ source, target }: EncodedPair): boolean =>
  target.length <= 2 * source.length && source.length <= 2 * target.length;

export const longer = ({ source, target }: EncodedPair): number => Math.max(source.length, target.length);

/** Row after row, filled up to the longest. */
export function padded(pairs: readonly EncodedPair[]) {
  return {
    source: fillUp(pairs.map(({ source }) => source)),
    target: fillUp(pairs.map(({ target }) => target)),
    pairs: pairs.length,
  };
}

function fillUp(rows: readonly Row[]): Int32Array {
  const columns = Math.max(...rows.map(row => row.length));
  const data = new Int32Array(rows.length * columns).fill(PADDING);
  for (const [at, row] of rows.entries()) data.set(row, at * columns);
  return data;
}
