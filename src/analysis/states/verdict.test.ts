import { describe, expect, test } from 'vitest';
import { StageTopology } from '../../graph/stage-topology.ts';
import { METRICS } from '../../model/metric.ts';
import { STATES } from '../../model/state.ts';
import { ns } from '../../model/units.ts';
import { blockOf, graphOf, operator, SECOND } from '../records.fixture.ts';
import { TimelineFold } from '../timeline.ts';
import { placeId } from './detect.ts';
import { stateVerdict } from './verdict.ts';

const topology = new StageTopology(graphOf([operator('ocr', []), operator('pdf', ['ocr'])], false));
const SUBJECTS = ['lane:ocr#0', 'lane:pdf#0', 'stage:ocr', 'stage:pdf'];

type Busy = (second: number) => number;

/** Lanes that are on a core for a given part of every second, and work `chunkSeconds` on a chunk. */
function timelineOf(busy: readonly [ocr: Busy, pdf: Busy], seconds: number, chunkSeconds: number) {
  const fold = new TimelineFold();
  for (const [index, part] of busy.entries()) {
    let running = 0;
    const rows: [number, number, number, number][] = [];
    for (let second = 1; second <= seconds; second++) {
      running += part(second - 1);
      for (const state of STATES) {
        const time = state === 'running' ? running : state === 'starved' ? second - running : 0;
        rows.push([index, METRICS[state].code, second * SECOND, time * SECOND]);
      }
      rows.push([index + 2, METRICS.chunks.code, second * SECOND, Math.floor(running / chunkSeconds)]);
    }
    fold.block(blockOf(index, `${index === 0 ? 'ocr' : 'pdf'}#0`, rows), SUBJECTS);
  }
  return fold.result();
}

const judge = (busy: readonly [Busy, Busy], seconds: number, chunkSeconds: number, windowNs?: number) =>
  stateVerdict(
    topology,
    timelineOf(busy, seconds, chunkSeconds),
    { from: ns(0), to: ns(seconds * SECOND), firstOutput: ns(0) },
    windowNs,
  );

describe('the narrow place over a run', () => {
  /** Busy all of three seconds, idle for one: chunks of 3 s. */
  const bursts: Busy = second => (second % 4 < 3 ? 1 : 0);

  test('windows of several chunks do not see single ones', () => {
    const verdict = judge([() => 1, bursts], 120, 3);
    expect(verdict.windowNs).toBeGreaterThanOrEqual(20 * SECOND);
    expect(verdict.place && placeId(verdict.place)).toBe('vertex:ocr');
    expect(verdict.changes).toBe(0);
  });

  test('short windows do', () => {
    expect(judge([() => 1, bursts], 120, 3, 2 * SECOND).changes).toBeGreaterThan(5);
  });

  test('a change that lasts is seen, and when', () => {
    const verdict = judge([second => (second < 60 ? 1 : 0.2), second => (second < 60 ? 0.2 : 1)], 120, 0.1);
    expect(verdict.segments.map(({ place }) => place && placeId(place))).toEqual(
      expect.arrayContaining(['vertex:ocr', 'vertex:pdf']),
    );
    const change = verdict.segments.find(({ place }) => place && placeId(place) === 'vertex:pdf')?.from ?? 0;
    expect(Math.abs(change / SECOND - 60)).toBeLessThan(3);
  });

  test('where nothing is narrow, the busiest is told', () => {
    const verdict = judge([() => 0.4, () => 0.6], 60, 0.1);
    expect(verdict.place).toBeUndefined();
    expect(verdict.nearest).toMatchObject({ vertex: { id: 'pdf' } });
  });
});
