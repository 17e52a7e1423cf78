import type { Draft } from '../draft.ts';
import { isBetter } from '../worth.ts';
import type { Rule } from './rule.ts';

/** What brings nothing is taken out again: changes of this plan, and buffers of the author's that only cost. */
export const fusion: Rule = (draft, circumstances) => {
  const own = draft.steps.reduce<Draft>((sofar, { action, reason }) => {
    const candidate = sofar.without(action.operator, action.kind);
    if (action.kind === 'cache' && circumstances.mustCache) return sofar;
    // What evens out the flow between two stages brings nothing in the mean; where they have become one since, it only divides that.
    if (reason === 'waits-vary') return endsStage(candidate, action.operator) ? sofar : candidate;
    return isBetter(candidate, sofar, circumstances) ? candidate : sofar;
  }, draft);
  return draft.base.operators
    .filter(({ id, removable }) => removable === true && !circumstances.keep.has(id))
    .reduce<Draft>((sofar, { id }) => {
      const candidate = sofar.with({ kind: 'remove', operator: id }, 'not-worth-a-thread');
      return isBetter(candidate, sofar, circumstances) ? candidate : sofar;
    }, own);
};

const endsStage = ({ arrangement }: Draft, operator: string): boolean =>
  arrangement.stages.some(({ operators }) => operators.at(-1)?.id === operator);
