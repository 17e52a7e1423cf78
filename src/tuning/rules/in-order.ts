import { hasEffectsInOrder } from '../../prediction/cost/recording.ts';
import type { Draft } from '../draft.ts';
import type { Rule } from './rule.ts';

/**
 * What is done for its effect would ride along into the threads of the operator before it, and be done out of order. Where
 * those have become several, it gets a thread of its own.
 */
export const inOrder: Rule = draft =>
  draft.base.operators
    .filter(operator => hasEffectsInOrder(operator) && operator.parallelism === undefined)
    .reduce<Draft>((sofar, { id, inputs }) => {
      const before = sofar.arrangement.stages.find(stage => stage.operators.some(each => each.id === inputs[0]));
      return (before?.lanes ?? 1) > 1 ? sofar.threads(id, 1, 'in-order') : sofar;
    }, draft);
