import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RECORD_KIND } from '../../model/record.ts';
import type { LaneInfo, RecordBlock } from '../../model/span.ts';
import { type Pyramid, PyramidFold } from './pyramid.ts';
import { TILE_BINS, tileNs } from './tile.ts';

interface Written {
  readonly lane: number;
  readonly start: number;
  readonly duration: number;
  readonly subject: number;
}

const laneOf = (index: number): LaneInfo => ({
  index,
  uuid: `${index}`,
  name: `lane ${index}`,
  pid: 1,
  tid: index,
  opened: 0,
});

function pyramidOf(spans: readonly Written[]): Pyramid {
  const fold = new PyramidFold();
  for (const [at, { lane, start, duration, subject }] of spans.entries()) {
    const block: RecordBlock = {
      lane: laneOf(lane),
      count: 1,
      kind: Uint8Array.of(RECORD_KIND.span),
      flags: Uint8Array.of(0),
      subject: Int32Array.of(subject),
      sequence: Uint32Array.of(at),
      start: Float64Array.of(start),
      duration: Float64Array.of(duration),
    };
    fold.block(block, ['stage:a', 'stage:b', 'operator:c', 'operator:d']);
  }
  return fold.result();
}

/** Time of each subject of a lane between two moments, over all depths, by looking at every span. */
function scanned(spans: readonly Written[], lane: number, from: number, to: number): Map<number, number> {
  const times = new Map<number, number>();
  for (const span of spans) {
    const overlap = Math.min(to, span.start + span.duration) - Math.max(from, span.start);
    if (span.lane === lane && overlap > 0) times.set(span.subject, (times.get(span.subject) ?? 0) + overlap);
  }
  return times;
}

function binned(pyramid: Pyramid, lane: number, level: number, bin: number): Map<number, number> {
  const times = new Map<number, number>();
  for (const { key } of pyramid.lanes.find(each => each.lane.index === lane)?.series ?? []) {
    const tile = pyramid.tile(key, level, Math.floor(bin / TILE_BINS));
    if (tile?.type !== 'bins') continue;
    const inside = bin % TILE_BINS;
    for (let at = tile.first[inside] ?? 0; at < (tile.first[inside + 1] ?? 0); at++) {
      const subject = tile.subject[at] ?? -1;
      const ns = tile.ns[at] ?? 0;
      if (ns > 0) times.set(subject, (times.get(subject) ?? 0) + ns);
    }
  }
  return times;
}

const span = fc.record({
  lane: fc.nat(2),
  start: fc.nat(1_000_000),
  duration: fc.oneof(fc.nat(2000), fc.nat(500_000)),
  subject: fc.nat(3),
});

describe('the pyramid', () => {
  test('has in every bin of every level the time that a scan of all spans finds there', () => {
    fc.assert(
      fc.property(
        fc.array(span, { minLength: 1, maxLength: 30 }),
        fc.array(fc.nat(), { minLength: 5 }),
        (spans, places) => {
          const pyramid = pyramidOf(spans);
          for (let level = 1; level <= pyramid.coarsest; level++) {
            const width = pyramid.binNs * 2 ** (level - 1);
            for (const place of places) {
              const bin = place % (Math.ceil(pyramid.endNs / width) + 1);
              for (const lane of [0, 1, 2]) {
                expect(binned(pyramid, lane, level, bin)).toEqual(scanned(spans, lane, bin * width, (bin + 1) * width));
              }
            }
          }
        },
      ),
    );
  });

  test('has every span in each tile of level 0 that it touches, and at no depth two that overlap', () => {
    fc.assert(
      fc.property(fc.array(span, { minLength: 1, maxLength: 30 }), spans => {
        const pyramid = pyramidOf(spans);
        const width = tileNs(pyramid.binNs, 0);
        const begun: string[] = [];
        for (const { series } of pyramid.lanes) {
          for (const { key } of series) {
            let end = 0;
            for (let index = 0; index * width <= pyramid.endNs; index++) {
              const tile = pyramid.tile(key, 0, index);
              if (tile?.type !== 'spans') continue;
              for (const [at, start] of tile.start.entries()) {
                const [duration = 0, subject] = [tile.duration[at], tile.subject[at]];
                expect(start + duration > index * width || start >= index * width).toBe(true);
                // Told of in an earlier tile.
                if (start < index * width) continue;
                expect(start).toBeGreaterThanOrEqual(end);
                end = start + duration;
                begun.push(`${start} ${duration} ${subject}`);
              }
            }
          }
        }
        expect(begun.sort()).toEqual(spans.map(each => `${each.start} ${each.duration} ${each.subject}`).sort());
        expect(pyramid.spans).toBe(spans.length);
      }),
    );
  });

  test('has all time once at every level, also at those that are made when a tile is asked for', () => {
    const spans = Array.from({ length: 5000 }, (_, at) => ({
      lane: 0,
      start: at * 100,
      duration: 90,
      subject: at % 4,
    }));
    const long = { lane: 1, start: 70, duration: 450_000, subject: 0 };
    const pyramid = pyramidOf([...spans, long]);
    expect(tileNs(pyramid.binNs, 1)).toBeLessThan(pyramid.endNs / 4);
    for (let level = 1; level <= pyramid.coarsest; level++) {
      const times = ['0.0', '1.0'].map(key => {
        let ns = 0;
        for (let index = 0; index * tileNs(pyramid.binNs, level) <= pyramid.endNs; index++) {
          const tile = pyramid.tile(key, level, index);
          if (tile?.type === 'bins') ns += Float64Array.from(tile.ns).reduce((sum, each) => sum + each, 0);
        }
        return ns;
      });
      expect(times).toEqual([5000 * 90, long.duration]);
    }
  });

  test('survives a run without spans, spans before its start, and more at once than it keeps', () => {
    const empty = pyramidOf([]);
    expect([empty.spans, empty.endNs, empty.coarsest]).toEqual([0, 0, 1]);
    const early = pyramidOf([{ lane: 0, start: -50, duration: 60, subject: 0 }]);
    expect(early.endNs).toBe(10);
    const many = pyramidOf(Array.from({ length: 40 }, (_, at) => ({ lane: 0, start: at, duration: 1000, subject: 0 })));
    expect([many.spans, many.leftOut]).toEqual([32, 8]);
  });
});
