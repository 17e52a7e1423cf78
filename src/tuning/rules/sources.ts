import { whyNotDivided } from '../../graph/soundness.ts';
import { type Arrangement, costTopology } from '../../prediction/cost/arrangement.ts';
import { sideCost } from '../../prediction/cost/handing.ts';
import type { CostOperator } from '../../prediction/cost/model.ts';
import { WORTHWHILE } from '../../prediction/thresholds.ts';
import type { Draft } from '../draft.ts';
import { isBetter } from '../worth.ts';
import type { Rule } from './rule.ts';
import { lanesAt, plentyOf, rateWith } from './runs.ts';

/** Sources of which one thread cannot read as much as the rest could take are read in parts, by several. */
export const sources: Rule = (draft, circumstances) =>
  draft.arrangement.operators.reduce((sofar, source) => {
    const { target, keep } = circumstances;
    if (source.divisible !== true || source.idle || keep.has(source.id)) return sofar;
    if (whyNotDivided(costTopology(draft.arrangement.operators), source) !== undefined) return sofar;
    const { cores, handing } = draft.base;
    const own = source.cpu.estimate + sideCost(handing.send, source, 'estimate');
    const rest = restWithout(draft, source);
    const rate = Math.min(rest, target ?? Number.POSITIVE_INFINITY);
    // Alone in a thread it could keep up.
    if (!(rate * (own + source.blocked) > 1)) return sofar;
    const parallelism = lanesAt(own, source.blocked, rate, cores);
    const candidate = sofar.with({ kind: 'divide', operator: source.id, parallelism }, 'one-reader');
    return parallelism > 1 && isBetter(candidate, sofar, circumstances, WORTHWHILE) ? candidate : sofar;
  }, draft);

/** What could be delivered if this source, and whatever can be divided, had all the lanes they want. */
function restWithout(draft: Draft, source: CostOperator): number {
  const plenty = plentyOf(draft.base);
  const operators = draft.arrangement.operators.map(operator => {
    if (operator === source) return { ...operator, sequential: false, parallelism: plenty };
    return operator.sequential ? operator : { ...operator, parallelism: plenty };
  });
  return rateWith(draft, operators);
}

/**
 * Where operators are too small to be worth a channel, or the source is as narrow as they are, the source is read in parts
 * and what follows rides in the threads that read: a whole sub-pipeline side by side, in the order of the parts.
 */
export const outer: Rule = (draft, circumstances) =>
  draft.base.operators.reduce((sofar, source) => {
    const { target, keep } = circumstances;
    if (source.divisible !== true || keep.has(source.id) || sofar.has(source.id, 'divide')) return sofar;
    const now = sofar.arrangement.operators.find(({ id }) => id === source.id);
    if (now === undefined || now.idle || whyNotDivided(costTopology(sofar.arrangement.operators), now) !== undefined)
      return sofar;
    const { cpu, blocked, ids } = alongside(sofar.arrangement, now, keep);
    const ideal = restWithout(sofar, now);
    const rate = Math.min(ideal, target ?? Number.POSITIVE_INFINITY);
    const parallelism = lanesAt(cpu, blocked, rate, sofar.base.cores);
    if (parallelism < 2) return sofar;
    const riding = ids.reduce<Draft>((each, id) => each.threads(id, undefined, 'rides'), sofar);
    const candidate = riding.with({ kind: 'divide', operator: source.id, parallelism }, 'small-operators');
    return isBetter(candidate, sofar, circumstances, WORTHWHILE) ? candidate : sofar;
  }, draft);

/** A source and the operators behind it that could ride in its threads. */
function alongside(
  { operators }: Arrangement,
  source: CostOperator,
  keep: ReadonlySet<string>,
): { readonly cpu: number; readonly blocked: number; readonly ids: readonly string[] } {
  const topology = costTopology(operators);
  const ids: string[] = [];
  let cpu = source.cpu.estimate;
  let { blocked } = source;
  for (let at = source; ; ) {
    const [next, ...others] = topology.readers(at);
    const only = next?.placed;
    if (only === undefined || others.length > 0 || only.sequential || only.inputs.length > 1 || keep.has(only.id))
      break;
    if (only.endsStage === true) break;
    cpu += only.cpu.estimate;
    blocked += only.blocked;
    ids.push(only.id);
    at = only;
  }
  return { cpu, blocked, ids };
}
