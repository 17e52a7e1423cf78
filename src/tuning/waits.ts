import type { Analysis } from '../analysis/analysis.ts';
import type { StageRates } from '../analysis/rates/rates.ts';
import type { Timeline } from '../analysis/timeline.ts';
import { slotsWanted } from '../graph/channel-shape.ts';
import { LARGE_CHUNK } from '../model/chunk.ts';
import { subject } from '../model/record.ts';
import { WORTHWHILE } from '../prediction/thresholds.ts';
import { MOST_SLOTS } from './thresholds.ts';

/** A busy stage that has to wait at times for one before it, which has to wait for room at others. */
export interface Wait {
  /** The last operator of the stage before it: a buffer behind it evens things out. */
  readonly operator: string;
  /** Elements by which it ran ahead of its mean, and fell behind, in all. */
  readonly elements: number;
  /** Chunks that hold as many. */
  readonly slots: number;
  /** Part of the time that was lost. */
  readonly lost: number;
}

/**
 * Where two stages wait for each other although neither is slow in the mean, their speed varies and what lies between
 * them holds too little. How much it would have to hold is the range over which the flow strays from its mean (Rippl's
 * way to size a reservoir).
 */
export function waitsOf({ graph, rates, timeline }: Analysis): Wait[] {
  const stageOf = new Map(rates.stages.flatMap(stage => stage.operators.map(id => [id, stage] as const)));
  const narrowest = Math.min(...rates.stages.map(({ ceiling }) => ceiling));
  return graph.channels.flatMap(({ from, to, slots }): Wait[] => {
    const [before, after] = [stageOf.get(from), stageOf.get(to)];
    if (before === undefined || after === undefined) return [];
    const lost = Math.min(before.states.backpressured, after.states.starved);
    // A mere narrow place makes only one side wait. And where another stage is narrower than these with their waits, they hold up nobody.
    if (lost < WORTHWHILE || (1 - lost) * Math.min(before.ceiling, after.ceiling) > narrowest) return [];
    const elements = Math.ceil(straying(timeline, from, rates.steady));
    const each = perChunk(timeline, before, from, 'elementsOut');
    if (!(elements > 0) || !(each > 0)) return [];
    const isLarge = perChunk(timeline, before, from, 'bytesOut') > LARGE_CHUNK;
    const held = isLarge ? Math.min(slots, slotsWanted(Math.max(before.lanes, after.lanes))) : slots;
    return [{ operator: from, elements, slots: Math.min(MOST_SLOTS, held + Math.ceil(elements / each)), lost }];
  });
}

/** How far, in elements, what left an operator was ahead of its mean and behind it. */
function straying(timeline: Timeline, operator: string, { from, to }: { from: number; to: number }): number {
  const key = subject.operator(operator);
  const out = (start: number, end: number): number =>
    timeline.lanes.reduce((sum, lane) => sum + lane.between(key, 'elementsOut', start, end), 0);
  const mean = out(from, to) / Math.max(1, to - from);
  let ahead = 0;
  let most = 0;
  let least = 0;
  for (let at = from; at < to; at += timeline.binNs) {
    const end = Math.min(to, at + timeline.binNs);
    ahead += out(at, end) - mean * (end - at);
    most = Math.max(most, ahead);
    least = Math.min(least, ahead);
  }
  return most - least;
}

/** What left an operator, by the chunks in which it left its stage. */
function perChunk(
  timeline: Timeline,
  { id }: StageRates,
  operator: string,
  metric: 'elementsOut' | 'bytesOut',
): number {
  const total = (key: string, of: 'elementsOut' | 'bytesOut' | 'chunks'): number =>
    timeline.lanes.reduce((sum, lane) => sum + lane.between(key, of, 0, Number.POSITIVE_INFINITY), 0);
  const chunks = total(subject.stage(id), 'chunks');
  return chunks > 0 ? total(subject.operator(operator), metric) / chunks : 0;
}
