import type { Draft } from '../draft.ts';
import { isBetter } from '../worth.ts';
import type { Pass } from './pass.ts';

/** What brings nothing is taken out again: changes of this plan, and buffers of the author's that only cost. */
export const fusion: Pass = (draft, circumstances) => {
  const own = draft.steps.reduce<Draft>((sofar, { action, reason }) => {
    // What evens out the flow brings nothing in the mean.
    if (reason === 'waits-vary') return sofar;
    const candidate = sofar.without(action.operator, action.kind);
    return isBetter(candidate, sofar, circumstances) ? candidate : sofar;
  }, draft);
  return draft.base.operators
    .filter(({ id, kind }) => kind === 'prefetch' && !circumstances.keep.has(id))
    .reduce<Draft>((sofar, { id }) => {
      const candidate = sofar.with({ kind: 'remove', operator: id }, 'not-worth-a-thread');
      return isBetter(candidate, sofar, circumstances) ? candidate : sofar;
    }, own);
};
