import {
  type Elements,
  type ElementsPerSecond,
  elements,
  elementsPerSecond,
  NS_PER_SECOND,
  type Ns,
} from '../../model/units.ts';
import { type Batch, preparationTime } from './batch.ts';
import { distribution } from './distribution.ts';
import type { PassSummary } from './pass.ts';
import { type BoundEvidence, type BoundVerdict, boundBy, lostTime } from './verdict.ts';

/** A loader as one of the processes that consume it sees it: a rank of a training. */
export interface RankSummary {
  readonly consumer: number;
  /** As the training numbers it; undefined where it does not. */
  readonly rank: string | undefined;
  readonly batches: number;
  readonly elements: Elements;
  readonly elementsPerSecond: ElementsPerSecond;
  readonly preparation: Ns;
  readonly step: Ns;
  /** What would be gained if this one never waited. */
  readonly lost: Ns;
  readonly verdict: BoundVerdict;
}

/** How ranks differ. */
export interface RankSpread {
  /** The consumer with the lowest rate, and the one that holds the others up. */
  readonly slowest: number;
  readonly holdingUp: number;
  /** The highest rate over the lowest. */
  readonly rates: number;
  /** The largest share of waiting less the smallest. */
  readonly waiting: number;
}

export interface RankParts {
  readonly consumer: number;
  readonly rank: string | undefined;
  readonly batches: readonly Batch[];
  readonly passes: readonly PassSummary[];
  readonly evidence: BoundEvidence;
}

export function summariseRank({ consumer, rank, batches, passes, evidence }: RankParts): RankSummary {
  const count = batches.reduce((sum, batch) => sum + batch.elements, 0);
  const span = passes.reduce((sum, pass) => sum + pass.end - pass.start, 0);
  return {
    consumer,
    rank,
    batches: batches.length,
    elements: elements(count),
    elementsPerSecond: elementsPerSecond(span > 0 ? count / (span / NS_PER_SECOND) : 0),
    preparation: distribution(batches.map(preparationTime)).mean,
    step: evidence.consumePerBatch,
    lost: lostTime(evidence),
    verdict: boundBy(evidence),
  };
}

/** In the order of their numbers. */
export const inRankOrder = (a: RankSummary, b: RankSummary): number =>
  Number(a.rank ?? a.consumer) - Number(b.rank ?? b.consumer);

/**
 * The rank that loses most by waiting for its loader: ranks wait for each other in every step, so that all of them lose it. Undefined
 * where of no rank enough was recorded.
 */
export function holdingUp(ranks: readonly RankSummary[]): RankSummary | undefined {
  const [first, ...others] = ranks.filter(({ verdict }) => verdict.bound !== 'unclear');
  return first && others.reduce((most, rank) => (rank.lost > most.lost ? rank : most), first);
}

/** Undefined where there is one consumer alone. */
export function spreadOf(ranks: readonly RankSummary[]): RankSpread | undefined {
  const [first, ...others] = ranks;
  if (first === undefined || others.length === 0) return undefined;
  const least = (of: (rank: RankSummary) => number): RankSummary =>
    others.reduce((best, rank) => (of(rank) < of(best) ? rank : best), first);
  const slowest = least(rank => rank.elementsPerSecond);
  const fastest = least(rank => -rank.elementsPerSecond);
  const waits = ranks.map(rank => rank.verdict.waitShare);
  return {
    slowest: slowest.consumer,
    holdingUp: (holdingUp(ranks) ?? slowest).consumer,
    rates: slowest.elementsPerSecond > 0 ? fastest.elementsPerSecond / slowest.elementsPerSecond : 1,
    waiting: Math.max(...waits) - Math.min(...waits),
  };
}
