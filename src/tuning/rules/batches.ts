import type { Draft } from '../draft.ts';
import { isBetter } from '../worth.ts';
import type { Rule } from './rule.ts';

/**
 * Where batches are made: by the lanes that have their elements, so that these need not be handed on one by one, or in a thread of its own, which leaves
 * the lanes the time. Where its stage has one lane in either, the draft stays as it is.
 */
export const batches: Rule = (draft, circumstances) =>
  draft.arrangement.operators.reduce<Draft>((sofar, { id, gathers, parallelism, idle }) => {
    if (gathers === undefined || idle || circumstances.keep.has(id)) return sofar;
    const elsewhere =
      parallelism === undefined ? sofar.threads(id, 1, 'overlap') : sofar.threads(id, undefined, 'rides');
    return stagesOf(elsewhere) !== stagesOf(sofar) && isBetter(elsewhere, sofar, circumstances) ? elsewhere : sofar;
  }, draft);

const stagesOf = ({ arrangement }: Draft): string =>
  JSON.stringify(arrangement.stages.map(({ lanes, operators }) => [lanes, operators.map(({ id }) => id)]));
