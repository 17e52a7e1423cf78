import { whyNotDivided } from '../../graph/soundness.ts';
import { giving } from '../../prediction/bound/crossing.ts';
import type { Draft } from '../draft.ts';
import { evaluate } from '../evaluate.ts';
import type { PipelineModel } from '../model.ts';
import type { ModelOperator } from '../operator.ts';
import { modelTopology } from '../stages.ts';
import { isBetter } from '../worth.ts';
import type { Pass } from './pass.ts';
import { lanesFor } from './runs.ts';

/** Reading in parts has to bring this much: it is a greater change than more threads for an operator. */
const WORTHWHILE = 0.05;

/** Sources of which one thread cannot read as much as the rest could take are read in parts, by several. */
export const sources: Pass = (draft, circumstances) =>
  draft.model.operators.reduce((sofar, source) => {
    const { target, keep } = circumstances;
    if (source.divisible !== true || source.idle || keep.has(source.id)) return sofar;
    if (whyNotDivided(modelTopology(draft.model.operators), source) !== undefined) return sofar;
    const { cores } = draft.model;
    const own = source.cpu + giving(source, draft.model.crossingFactor);
    const rest = restWithout(draft.model, source);
    const rate = Math.min(rest, target ?? Number.POSITIVE_INFINITY);
    // Alone in a thread it could keep up.
    if (!(rate * (own + source.blocked) > 1)) return sofar;
    const parallelism = lanesFor(own, source.blocked, rate, cores);
    const candidate = sofar.with({ kind: 'divide', operator: source.id, parallelism }, 'one-reader');
    return parallelism > 1 && isBetter(candidate, sofar, circumstances, WORTHWHILE) ? candidate : sofar;
  }, draft);

/** What could be delivered if this source, and whatever can be divided, had all the lanes they want. */
function restWithout(model: PipelineModel, source: ModelOperator): number {
  const plenty = 4 * Math.ceil(model.cores) + 64;
  const operators = model.operators.map(operator => {
    if (operator === source) return { ...operator, sequential: false, parallelism: plenty };
    return operator.sequential ? operator : { ...operator, parallelism: plenty };
  });
  return evaluate({ ...model, operators }).rate;
}

/**
 * Where operators are too small to be worth a channel, or the source is as narrow as they are, the source is read in parts
 * and what follows rides in the threads that read: a whole sub-pipeline side by side, in the order of the parts.
 */
export const outer: Pass = (draft, circumstances) =>
  draft.base.operators.reduce((sofar, source) => {
    const { target, keep } = circumstances;
    if (source.divisible !== true || keep.has(source.id) || sofar.has(source.id, 'divide')) return sofar;
    const now = sofar.model.operators.find(({ id }) => id === source.id);
    if (now === undefined || now.idle || whyNotDivided(modelTopology(sofar.model.operators), now) !== undefined)
      return sofar;
    const { cpu, blocked, ids } = alongside(sofar.model, now, keep);
    const ideal = restWithout(sofar.model, now);
    const rate = Math.min(ideal, target ?? Number.POSITIVE_INFINITY);
    const parallelism = lanesFor(cpu, blocked, rate, sofar.model.cores);
    if (parallelism < 2) return sofar;
    const riding = ids.reduce<Draft>((each, id) => each.threads(id, undefined, 'rides'), sofar);
    const candidate = riding.with({ kind: 'divide', operator: source.id, parallelism }, 'small-operators');
    return isBetter(candidate, sofar, circumstances, WORTHWHILE) ? candidate : sofar;
  }, draft);

/** A source and the operators behind it that could ride in its threads. */
function alongside(
  { operators }: PipelineModel,
  source: ModelOperator,
  keep: ReadonlySet<string>,
): { readonly cpu: number; readonly blocked: number; readonly ids: readonly string[] } {
  const topology = modelTopology(operators);
  const ids: string[] = [];
  let { cpu, blocked } = source;
  for (let at = source; ; ) {
    const [next, ...others] = topology.readers(at);
    const only = next?.placed;
    if (only === undefined || others.length > 0 || only.sequential || only.inputs.length > 1 || keep.has(only.id))
      break;
    if (only.endsStage === true) break;
    cpu += only.cpu;
    blocked += only.blocked;
    ids.push(only.id);
    at = only;
  }
  return { cpu, blocked, ids };
}
