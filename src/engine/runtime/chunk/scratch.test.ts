import { describe, expect, it } from 'vitest';
import { Scratch } from './scratch.ts';

const GIANT = 32 * 1024 * 1024;

function chunksOf(scratch: Scratch, bytes: number, count: number): void {
  for (let i = 0; i < count; i++) {
    scratch.take(bytes);
    scratch.clear();
  }
}

describe('scratch memory', () => {
  it('keeps what was written when it grows', () => {
    const scratch = new Scratch();
    const before = scratch.capacity;
    const at = scratch.take(5);
    scratch.u8[at] = 42;
    expect(scratch.used).toBe(8);
    scratch.take(before);
    expect(scratch.capacity).toBe(before * 2);
    expect(scratch.u8[at]).toBe(42);
    expect(
      new Set([scratch.u8, scratch.i32, scratch.u32, scratch.f64, scratch.i64].map(view => view.buffer)).size,
    ).toBe(1);
  });

  it('is released once a giant chunk is long past', () => {
    const scratch = new Scratch();
    chunksOf(scratch, GIANT, 1);
    chunksOf(scratch, 1000, 60);
    expect(scratch.capacity).toBe(GIANT);
    chunksOf(scratch, 1000, 70);
    expect(scratch.capacity).toBeLessThan(GIANT / 4);
  });

  it('is kept while large chunks keep coming', () => {
    const scratch = new Scratch();
    for (let i = 0; i < 10; i++) {
      chunksOf(scratch, GIANT, 1);
      chunksOf(scratch, 1000, 20);
    }
    expect(scratch.capacity).toBe(GIANT);
  });

  it('may be lent for a chunk, as long as that fits', () => {
    const scratch = new Scratch();
    const own = scratch.u8;
    const place = new Uint8Array(new SharedArrayBuffer(64), 8, 32);
    scratch.lend(place);
    scratch.u32[scratch.take(4) / 4] = 7;
    expect(new Uint32Array(place.buffer)[2]).toBe(7);
    scratch.take(40);
    expect([scratch.u8 === own, scratch.u32[0]]).toEqual([true, 7]);
    scratch.clear();
    scratch.lend(place);
    scratch.clear();
    expect([scratch.u8 === own, scratch.used]).toEqual([true, 0]);
  });
});
