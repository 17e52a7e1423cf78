import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ChunkDecoder } from '../chunk/index.ts';
import { Gatherer } from './gatherer.ts';
import { MemoryStore } from './memory-store.ts';

function kept(store: MemoryStore): unknown[][] {
  const decoder = new ChunkDecoder();
  const chunks: unknown[][] = [];
  store.rewind();
  for (let bytes = store.next(); bytes !== undefined; bytes = store.next()) chunks.push(decoder.decode(bytes).values);
  return chunks;
}

it('keeps elements in their order, whatever pieces they come in', () => {
  const value = fc.oneof(fc.integer(), fc.string(), fc.record({ a: fc.double(), b: fc.array(fc.boolean()) }));
  const piece = fc.array(value, { minLength: 1, maxLength: 900 });
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 6 }), pieces => {
      const store = new MemoryStore();
      const gatherer = new Gatherer(store, 1);
      for (const values of pieces) gatherer.add(values, 0, values.length);
      gatherer.flush();
      expect(kept(store).flat()).toEqual(pieces.flat());
      expect(gatherer.bytes).toBe(store.bytes);
    }),
    { seed: 1, numRuns: 50 },
  );
});

it('puts small pieces together and leaves large ones as they are', () => {
  const store = new MemoryStore();
  const gatherer = new Gatherer(store, 1);
  const large = Array.from({ length: 2000 }, (_, x) => x);
  gatherer.add(large, 0, 2000);
  for (const x of large) gatherer.add([x], 0, 1);
  gatherer.flush();
  const [whole, ...together] = kept(store).map(({ length }) => length);
  expect(whole).toBe(2000);
  // One by one they are mostly headers, of which 16 kB are enough; the last piece has what is left.
  for (const length of together.slice(0, -1)) expect(length).toBeGreaterThan(200);
  expect(together.reduce((sum, length) => sum + length, 0)).toBe(2000);
});

it('waits for as many elements as async functions want at once', () => {
  const store = new MemoryStore();
  const gatherer = new Gatherer(store, 32);
  for (let x = 0; x < 64; x++) gatherer.add([new Uint8Array(10_000)], 0, 1);
  expect(kept(store).map(({ length }) => length)).toEqual([32, 32]);
});
