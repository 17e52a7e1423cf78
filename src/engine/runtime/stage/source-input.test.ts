import { describe, expect, it } from 'vitest';
import type { SourceReader } from '../../contract/source.ts';
import { Losses } from '../calls/losses.ts';
import type { Piece } from './input.ts';
import { MemoryGuard } from './memory-guard.ts';
import { SourceInput } from './source-input.ts';

/** Elements of `bytes` each, `count` of them; keeps the largest number that was asked for once the source was known. */
function countingSource(count: number, bytes: number): { readonly reader: SourceReader; readonly asked: number[] } {
  const asked: number[] = [];
  let given = 0;
  const reader: SourceReader = {
    read(into, limit) {
      asked.push(limit);
      const some = Math.min(limit, count - given);
      for (let i = 0; i < some; i++) into.push(new Uint8Array(bytes));
      given += some;
      return some;
    },
    done: () => given / count,
    close: () => undefined,
  };
  return { reader, asked };
}

function drain(reader: SourceReader, memory: number): number {
  const passes = { count: 1, cut: false };
  const input = new SourceInput(() => reader, passes, {
    signal: new AbortController().signal,
    memory: new MemoryGuard(memory, () => memory),
    losses: new Losses('source', undefined),
  });
  let elements = 0;
  for (;;) {
    const piece = input.next() as Piece;
    if (piece.kind === 'end') return elements;
    elements += piece.to - piece.from;
    // Whatever is behind the source takes no time: only memory can hold it back.
    input.used(piece, 0);
  }
}

describe('pieces of a source', () => {
  it('grow while they are used up at once', () => {
    const { reader, asked } = countingSource(100_000, 0);
    expect(drain(reader, 2 ** 30)).toBe(100_000);
    expect(Math.max(...asked)).toBeGreaterThan(1000);
  });

  it('hold no more bytes than the lane can spare, however fast they are used up', () => {
    const { reader, asked } = countingSource(1_000, 100_000);
    expect(drain(reader, 8e6)).toBe(1_000);
    // An eighth of 8 MB is ten elements. A collection while they are read hides what they weigh, once.
    expect(Math.max(...asked)).toBeLessThanOrEqual(32);
  });
});
