import { describe, expect, it } from 'vitest';
import { threefry4x32 } from './threefry.ts';

type Words = [number, number, number, number];

function run(counter: Words, key: Words): string {
  const out = new Int32Array(4);
  threefry4x32(new Int32Array([...key, ...counter]), out);
  return [...out].map(word => (word >>> 0).toString(16).padStart(8, '0')).join(' ');
}

describe('threefry4x32', () => {
  // The known-answer vectors of Random123 for 20 rounds.
  it('gives the published answers', () => {
    expect(run([0, 0, 0, 0], [0, 0, 0, 0])).toBe('9c6ca96a e17eae66 fc10ecd4 5256a7d8');
    const ones: Words = [0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff];
    expect(run(ones, ones)).toBe('2a881696 57012287 f6c7446e a16a6732');
    const pi: Words = [0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344];
    const more: Words = [0xa4093822, 0x299f31d0, 0x082efa98, 0xec4e6c89];
    expect(run(pi, more)).toBe('59cd1dbb b8879579 86b5d00c ac8b6d84');
  });
});
