import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { Port } from '../joins/port.ts';
import { elementsPiece, type Input, markPiece, type Piece } from '../stage/input.ts';
import { CacheInput } from './cache-input.ts';
import type { ChunkStore } from './chunk-store.ts';
import { FileDraft } from './file-draft.ts';
import { MemoryStore } from './memory-store.ts';

const folder = mkdtempSync(join(tmpdir(), 'cache-input-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Elements large enough that a store holds several chunks of them. */
const element = (at: number): Buffer => Buffer.alloc(30_000, at);

interface Upstream extends Input {
  readonly given: number;
  readonly cancelled: boolean;
}

/** Gives pieces of these sizes and ends; every other one is waited for. */
function upstreamOf(sizes: readonly number[]): Upstream {
  let next = 0;
  const state = { given: 0, cancelled: false };
  const piece = (): Piece => {
    const size = sizes[next++];
    if (size === undefined) return markPiece('end', next, 0);
    const values = Array.from({ length: size }, (_, at) => element(state.given + at));
    state.given += size;
    return elementsPiece(next, values, 0, size, 0, 0);
  };
  return {
    own: false,
    series: undefined,
    continues: false,
    waited: 0,
    next: () => (next % 2 === 0 ? piece() : Promise.resolve().then(piece)),
    ready: () => true,
    atLeast: () => undefined,
    used: () => undefined,
    pace: () => undefined,
    skipTo: () => undefined,
    cancel() {
      state.cancelled = true;
    },
    done: () => undefined,
    get given() {
      return state.given;
    },
    get cancelled() {
      return state.cancelled;
    },
  };
}

const draft = (): ChunkStore => new FileDraft({ folder, key: '0'.repeat(32), files: '', whole: false }, () => true);

it.each<[string, () => ChunkStore]>([
  ['in memory', () => new MemoryStore()],
  ['on disk', draft],
])('every pass gives the elements from the first on, however far the others went, %s', async (_, open) => {
  const property = fc.asyncProperty(
    fc.array(fc.integer({ min: 1, max: 5 }), { maxLength: 12 }),
    fc.array(fc.nat(16), { minLength: 1, maxLength: 6 }),
    async (sizes, cuts) => {
      const upstream = upstreamOf(sizes);
      const count = sizes.reduce((sum, size) => sum + size, 0);
      const passes = { count: cuts.length, cut: true };
      const input = new CacheInput({
        id: 'kept',
        port: new Port(upstream, 1),
        passes,
        open,
        saved: undefined,
        limit: 1e9,
      });
      for (const [epoch, cut] of cuts.entries()) {
        let seen = 0;
        for (let pieces = 0; ; pieces++) {
          if (pieces === cut) input.skipTo(epoch + 1);
          const piece = await input.next();
          expect(piece.epoch).toBe(epoch);
          if (piece.kind !== 'elements') {
            expect(piece.kind).toBe(epoch === cuts.length - 1 ? 'end' : 'epochEnd');
            if (pieces < cut) expect(seen).toBe(count);
            break;
          }
          expect(piece.base + piece.from).toBe(epoch * 2 ** 32 + seen);
          const values = Array.from(piece.values as ArrayLike<Uint8Array>).slice(piece.from, piece.to);
          for (const [at, bytes] of values.entries()) expect(element(seen + at).equals(bytes)).toBe(true);
          seen += values.length;
        }
      }
      // Nothing was asked for twice, and whoever is not at the end is told to stop.
      expect(upstream.given).toBeLessThanOrEqual(count);
      expect(upstream.cancelled || upstream.given === count).toBe(true);
      expect(readdirSync(folder).filter(name => name.endsWith('.draft'))).toEqual([]);
    },
  );
  await fc.assert(property, { seed: 1, numRuns: 60 });
});
