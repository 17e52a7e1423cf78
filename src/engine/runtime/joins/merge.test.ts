import { describe, expect, it } from 'vitest';
import { elementsPiece, type Input, type Piece } from '../stage/input.ts';
import { MergeInput } from './merge.ts';
import { Port } from './port.ts';

/** An input that always has its next chunk, of so many elements. */
function ahead(chunk: number): { readonly input: Input; readonly read: () => number } {
  let pieces = 0;
  const input: Input = {
    own: false,
    waited: 0,
    next: () => elementsPiece(pieces++, new Array<number>(chunk).fill(chunk), 0, chunk, (pieces - 1) * chunk, 0),
    ready: () => true,
    used: () => undefined,
    skipTo: () => undefined,
    cancel: () => undefined,
  };
  return { input, read: () => pieces };
}

const countOf = (piece: Piece | Promise<Piece>): number => {
  if (piece instanceof Promise) throw new Error('what is ready is there at once');
  return piece.to - piece.from;
};

describe('a merge of inputs that are always ahead', () => {
  for (const [chunks, block] of [
    [[1, 1], 1],
    [[1, 1, 1], 4],
    [[1, 64], 1],
    [[300, 500], 1],
    [[300, 500], 1000],
  ] as const) {
    it(`hands on about a chunk of each: chunks of ${chunks.join(', ')}, ${block} in turn`, () => {
      const inputs = chunks.map(ahead);
      const merge = new MergeInput(
        inputs.map(({ input }) => new Port(input, 1)),
        { count: 1, cut: false },
        block,
      );
      let handedOn = 0;
      for (let piece = 0; piece < 20; piece++) {
        const count = countOf(merge.next());
        expect(count).toBeGreaterThan(0);
        handedOn += count;
        const taken = inputs.reduce((sum, { read }, at) => sum + read() * (chunks[at] ?? 0), 0);
        // What was read and not handed on lies in the chunks at hand.
        expect(taken - handedOn).toBeLessThan(chunks.reduce((sum, chunk) => sum + chunk, 0));
        expect(count).toBeLessThanOrEqual(2 * chunks.reduce((sum, chunk) => sum + chunk, 0));
      }
    });
  }
});
