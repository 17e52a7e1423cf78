import type { CostOperator } from '../../prediction/cost/model.ts';
import { WORTHWHILE } from '../../prediction/thresholds.ts';
import type { Draft } from '../draft.ts';
import { BUFFER_SHARE, LEAST_BUFFERED } from '../thresholds.ts';
import { isBetter } from '../worth.ts';
import type { Circumstances, Rule } from './rule.ts';

/**
 * Operators that see all elements in order, and share a thread, can still work at the same time: on different elements.
 * And where stages were seen to wait for each other, there is a buffer that evens out their speed.
 */
export const prefetch: Rule = (draft, circumstances) => evened(overlapping(draft, circumstances), circumstances);

function evened(draft: Draft, { waits, memory, keep }: Circumstances): Draft {
  return waits.reduce<Draft>((sofar, { operator, elements, slots }) => {
    const at = draft.base.operators.find(({ id }) => id === operator);
    const isBetweenStages = draft.arrangement.stages.some(stage => stage.operators.at(-1)?.id === operator);
    if (at === undefined || at.removable === true || keep.has(operator) || !isBetweenStages) return sofar;
    const each = at.visits > 0 ? at.bytes / at.visits : 0;
    const fits = each > 0 ? Math.floor((memory * BUFFER_SHARE) / each) : elements;
    if (fits < 1) return sofar;
    return sofar.with(
      { kind: 'prefetch', operator, elements: Math.max(slots, Math.min(elements, fits)), slots },
      'waits-vary',
    );
  }, draft);
}

function overlapping(draft: Draft, circumstances: Circumstances): Draft {
  for (let best = draft; ; ) {
    const better = cutsOf(best, circumstances).reduce<Draft | undefined>(
      (sofar, candidate) =>
        sofar === undefined || candidate.evaluation.rate > sofar.evaluation.rate ? candidate : sofar,
      undefined,
    );
    if (better === undefined || !isBetter(better, best, circumstances, WORTHWHILE)) return best;
    best = better;
  }
}

/** The draft with a channel behind one more operator that is not the last of its stage. */
function cutsOf(draft: Draft, circumstances: Circumstances): Draft[] {
  const written = new Set(draft.base.operators.map(({ id }) => id));
  return draft.arrangement.stages
    .filter(({ lanes }) => lanes === 1)
    .flatMap(({ operators }) => operators.slice(0, -1))
    .filter(({ id, idle }) => written.has(id) && !idle && !draft.has(id, 'prefetch') && !circumstances.keep.has(id))
    .map(operator =>
      draft.with(
        {
          kind: 'prefetch',
          operator: operator.id,
          elements: bufferFor(operator, draft.evaluation.rate, circumstances.memory),
        },
        'overlap',
      ),
    );
}

/** Seconds of the flow that a buffer may hold: chunks are a millisecond each, and a channel has a handful of them. A judgement. */
const BUFFERED = 0.1;

function bufferFor({ visits, bytes }: CostOperator, rate: number, memory: number): number {
  const wanted = Math.max(LEAST_BUFFERED, Math.ceil(visits * rate * BUFFERED));
  const each = visits > 0 ? bytes / visits : 0;
  const fits = each > 0 ? Math.floor((memory * BUFFER_SHARE) / each) : wanted;
  return Math.max(1, Math.min(wanted, fits));
}
