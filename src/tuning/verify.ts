import { whyNotDivided, whyNotKept } from '../graph/soundness.ts';
import { costTopology } from '../prediction/cost/arrangement.ts';
import type { Draft } from './draft.ts';

/**
 * What must hold after every rule: each change is about an operator of the pipeline, nothing that sees all elements in
 * order is divided, and nothing is kept or read in parts where that would be seen. A rule that breaks one is a bug.
 */
export function verify({ base: { operators }, steps }: Draft): void {
  const topology = costTopology(operators);
  for (const { action } of steps) {
    const at = operators.find(({ id }) => id === action.operator);
    if (at === undefined) throw new Error(`a change to '${action.operator}', which the pipeline has not`);
    if (action.kind === 'parallelism' && at.sequential && (action.to ?? 1) > 1) {
      throw new Error(`'${at.id}' sees all elements in order and was given ${action.to} threads`);
    }
    const unsound =
      action.kind === 'cache'
        ? whyNotKept(topology, at)
        : action.kind === 'divide'
          ? whyNotDivided(topology, at)
          : undefined;
    if (unsound !== undefined) throw new Error(`${action.kind} at '${at.id}': ${unsound}`);
    if (action.kind === 'remove' && at.removable !== true) throw new Error(`'${at.id}' is not to be left out`);
  }
}
