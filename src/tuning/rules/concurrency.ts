import { MOST_CALLS } from '../../analysis/bottleneck/waited-calls.ts';
import type { CostOperator } from '../../prediction/cost/model.ts';
import type { Draft } from '../draft.ts';
import { WORTHWHILE } from '../thresholds.ts';
import { isBetter } from '../worth.ts';
import type { Rule } from './rule.ts';

/** More than this many times as many are not planned unseen. */
const MOST_GROWTH = 8;
/** A thread may sleep for this part of the time that it works. */
const ASLEEP = 0.1;

/** Threads that sleep until async calls are answered can have more of them under way: as many as trials have shown to help, where there were any. */
export const concurrency: Rule = (draft, circumstances) =>
  draft.arrangement.operators.reduce<Draft>((sofar, operator) => {
    const { id, concurrency: from } = operator;
    if (from === undefined || operator.idle || circumstances.keep.has(id)) return sofar;
    const seen = circumstances.calls[id]?.concurrency;
    if (seen !== undefined)
      return seen === from ? sofar : sofar.with({ kind: 'concurrency', operator: id, from, to: seen }, 'waits-outside');
    const to = Math.min(MOST_CALLS, from * Math.min(MOST_GROWTH, timesMore(operator)));
    const candidate = sofar.with({ kind: 'concurrency', operator: id, from, to }, 'waits-outside');
    return to > from && isBetter(candidate, sofar, circumstances, WORTHWHILE) ? candidate : sofar;
  }, draft);

const timesMore = ({ blocked, cpu }: CostOperator): number =>
  cpu.estimate > 0 ? Math.ceil(blocked / (ASLEEP * cpu.estimate)) : MOST_GROWTH;
