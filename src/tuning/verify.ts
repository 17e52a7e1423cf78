import { whyUnsound } from '../graph/soundness.ts';
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
    const unsound = whyUnsound(topology, at, action);
    if (unsound !== undefined) throw new Error(`${action.kind} at '${at.id}': ${unsound}`);
  }
}
