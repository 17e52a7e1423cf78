import { VenturiError } from '../model/errors.ts';
import type { Operator } from '../model/graph.ts';

/** Refuses an operator that is not there. `whose`: a pipeline, or a run. */
export function refuseUnknown(
  operator: string | undefined,
  operators: readonly Pick<Operator, 'id' | 'label'>[],
  whose: string,
): void {
  if (operator === undefined || operators.some(({ id, label }) => id === operator || label === operator)) return;
  const ids = operators.map(({ id }) => id);
  throw unknownName(`${whose} has no operator '${operator}'.`, ids);
}

/** Error for an unknown name; the remedy lists those that exist. */
export const unknownName = (message: string, names: readonly string[]): VenturiError =>
  new VenturiError('VENTURI_UNKNOWN_OPERATOR', message, {
    remedy: `It has ${names.map(name => `'${name}'`).join(', ')}.`,
  });

export function refuseLessThanTwo(paths: readonly string[], noun: 'plan' | 'run' | 'trace', example: string): void {
  if (paths.length > 1) return;
  throw new VenturiError('VENTURI_USAGE', `One ${noun} cannot be compared with itself.`, {
    remedy: `Name two ${noun}s or more: venturi compare ${example}.`,
  });
}
