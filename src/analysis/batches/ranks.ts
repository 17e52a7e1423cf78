import { ratio } from '../../math/ratio.ts';
import { highest, sumOf } from '../../math/totals.ts';
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
  /** Time gained if this one never waited. */
  readonly lost: Ns;
  readonly verdict: BoundVerdict;
}

/** Differences between ranks. */
export interface RankSpread {
  /** The consumer with the lowest rate, and the one that holds the others up. */
  readonly slowest: number;
  readonly holdingUp: number;
  /** Highest rate / lowest rate. */
  readonly rates: number;
  /** Largest share of waiting - smallest. */
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
  const count = sumOf(batches, batch => batch.elements);
  const span = sumOf(passes, pass => pass.end - pass.start);
  return {
    consumer,
    rank,
    batches: batches.length,
    elements: elements(count),
    elementsPerSecond: elementsPerSecond(ratio(count, span / NS_PER_SECOND)),
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
  const clear = ranks.filter(({ verdict }) => verdict.bound !== 'unclear');
  return highest(clear, rank => rank.lost);
}

/** Undefined where there is one consumer alone. */
export function spreadOf(ranks: readonly RankSummary[]): RankSpread | undefined {
  const slowest = highest(ranks, rank => -rank.elementsPerSecond);
  const fastest = highest(ranks, rank => rank.elementsPerSecond);
  if (slowest === undefined || fastest === undefined || ranks.length < 2) return undefined;
  const waits = ranks.map(rank => rank.verdict.waitShare);
  return {
    slowest: slowest.consumer,
    holdingUp: (holdingUp(ranks) ?? slowest).consumer,
    rates: slowest.elementsPerSecond > 0 ? fastest.elementsPerSecond / slowest.elementsPerSecond : 1,
    waiting: Math.max(...waits) - Math.min(...waits),
  };
}
