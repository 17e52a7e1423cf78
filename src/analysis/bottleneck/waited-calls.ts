import type { Operator } from '../../model/graph.ts';
import type { Analysis } from '../analysis.ts';
import type { CallRates } from '../rates/calls.ts';
import type { OperatorRates, StageRates } from '../rates/rates.ts';
import { narrowStage } from './narrow.ts';

/** An operator whose async function is waited for, and its calls. */
export interface WaitedCalls {
  readonly operator: Operator;
  readonly rates: OperatorRates;
  readonly calls: CallRates;
  readonly stage: StageRates;
  /** Calls that may be under way at once in one lane. */
  readonly concurrency: number;
}

/** Of what the narrow stage sleeps, the part that is this operator's. */
const MAIN_PART = 0.5;

/** The narrow stage sleeps, mostly until calls of an async function are answered. */
export function waitedCalls(analysis: Analysis): WaitedCalls | undefined {
  const narrow = narrowStage(analysis);
  if (narrow?.place.limit !== 'blocked') return undefined;
  const { stage } = narrow;
  const [most] = analysis.rates.operators
    .flatMap((rates): WaitedCalls[] => {
      const { calls } = rates;
      if (calls === undefined || rates.stage !== stage.id) return [];
      const operator = analysis.graph.operators.find(({ id }) => id === rates.id);
      if (operator?.concurrency === undefined) return [];
      return [{ operator, rates, calls, stage, concurrency: operator.concurrency }];
    })
    .sort((a, b) => b.rates.blockedDemand - a.rates.blockedDemand);
  return most !== undefined && most.rates.blockedDemand >= MAIN_PART * stage.blockedDemand ? most : undefined;
}

/** More calls at once than this are not advised, nor tried. */
export const MOST_CALLS = 256;
/** More than this many times as many are not advised unseen. */
const MOST_GROWTH = 8;

/** Calls at once in each lane that a rate takes where each call takes as long as it did: Little's law, and a power of two. */
export function callsFor({ rates, calls, stage, concurrency }: WaitedCalls, rate: number): number {
  const each = (calls.time / 1e9) * Math.max(rates.visitRatio, 1e-9);
  const wanted = Math.min(
    MOST_GROWTH * concurrency,
    Number.isFinite(rate) ? (rate * each) / Math.max(1, stage.lanes) : Number.POSITIVE_INFINITY,
  );
  return Math.min(MOST_CALLS, Math.max(2 * concurrency, 2 ** Math.ceil(Math.log2(Math.max(1, wanted)))));
}
