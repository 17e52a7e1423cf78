import { compileFunction } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { bitsOf } from './hash-code.ts';

describe('bits of a number that is hashed', () => {
  const bits = compileFunction(`return ${bitsOf('x', false)};`, ['x']) as (x: number) => number;
  const rows = 4096;

  it.each<[string, (at: number) => number]>([
    ['whole numbers', at => at],
    ['negative ones', at => -at],
    ['prices', at => at / 100],
    ['parts of one', at => at / rows],
    ['small parts', at => at / 1e7],
    ['multiples of 2^32', at => at * 2 ** 32],
    ['times in ns', at => 1.7e18 + at * 1e6],
  ])('differ as a rule: %s', (_, number) => {
    const seen = new Set(Array.from({ length: rows }, (__, at) => bits(number(at))));
    expect(seen.size).toBeGreaterThan(rows / 2);
  });

  it('are the same for 0 and -0', () => {
    expect(bits(-0)).toBe(bits(0));
  });

  it('are the number itself, where all are whole', () => {
    expect(bitsOf('x', true)).toBe('x');
  });
});
