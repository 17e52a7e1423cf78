import type { Draft } from '../draft.ts';
import { isBetter } from '../worth.ts';
import type { Circumstances, Rule } from './rule.ts';

/**
 * Where batches are made: by the lanes that have their elements, so that these need not be handed on one by one, or in a thread of its own, which leaves
 * the lanes the time. Where its stage has one lane in either, the draft stays as it is.
 */
export const batches: Rule = (draft, circumstances) =>
  gatherersOf(draft, circumstances).reduce((sofar, id) => {
    const elsewhere = moved(sofar, id);
    return stagesOf(elsewhere) !== stagesOf(sofar) && isBetter(elsewhere, sofar, circumstances) ? elsewhere : sofar;
  }, draft);

/**
 * Moves every batch, whatever the forecast. Which place is faster also depends on what the processor's caches and the allocator do with large elements, and no
 * forecast knows that.
 */
export const batchesElsewhere: Rule = (draft, circumstances) => gatherersOf(draft, circumstances).reduce(moved, draft);

/** Operators that make batches and may be moved. */
const gatherersOf = ({ arrangement }: Draft, { keep }: Circumstances): readonly string[] =>
  arrangement.operators
    .filter(({ id, gathers, idle }) => gathers !== undefined && !idle && !keep.has(id))
    .map(({ id }) => id);

function moved(draft: Draft, id: string): Draft {
  const batch = draft.arrangement.operators.find(each => each.id === id);
  return batch?.parallelism === undefined ? draft.threads(id, 1, 'overlap') : draft.threads(id, undefined, 'rides');
}

const stagesOf = ({ arrangement }: Draft): string =>
  JSON.stringify(arrangement.stages.map(({ lanes, operators }) => [lanes, operators.map(({ id }) => id)]));
