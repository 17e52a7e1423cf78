import { MOST_CALLS } from '../../analysis/bottleneck/waited-calls.ts';
import { PLANNED_BUSY } from '../../prediction/cost/lanes.ts';
import type { CostOperator } from '../../prediction/cost/model.ts';
import { WORTHWHILE } from '../../prediction/thresholds.ts';
import type { Draft } from '../draft.ts';
import { isBetter } from '../worth.ts';
import type { Rule } from './rule.ts';

/** Planned concurrency / recorded concurrency, at most, as long as no trial has had it: three doublings of the search. A judgement. */
const MOST_GROWTH = 8;

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

/** So many times as many calls let a thread sleep no longer than lanes are planned to. */
const timesMore = ({ blocked, cpu }: CostOperator): number =>
  cpu.estimate > 0 ? Math.ceil((blocked / cpu.estimate) * (PLANNED_BUSY / (1 - PLANNED_BUSY))) : MOST_GROWTH;
