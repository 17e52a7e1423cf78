import { type ExecutionPlan, outputsOf, type PlannedStage, stageAt } from './stages.ts';

/**
 * Positions of a stage's operators that make whole batches of every chunk, so that its lanes keep nothing from one to the next. None where
 * one lane keeps what is left of a chunk for the next batch.
 */
export const gatherersOf = ({ nodes, stateless }: PlannedStage): readonly number[] =>
  stateless ? nodes.flatMap(({ operator }, at) => (operator.gathers === undefined ? [] : [at])) : [];

/**
 * Positions of a stage's operators of which its lanes keep nothing, though one lane would: those that make whole batches of every chunk, and a
 * `repeat`, since the number of a pass tells whether it is the last one.
 */
export const sharedKeepersOf = ({ nodes, stateless }: PlannedStage): readonly number[] =>
  stateless
    ? nodes.flatMap(({ operator: { gathers, repeats } }, at) =>
        gathers === undefined && repeats === undefined ? [] : [at],
      )
    : [];

/** Elements of a chunk that become one in a stage's lanes. */
export const gatheredBy = (stage: PlannedStage): number =>
  gatherersOf(stage).reduce((elements, at) => elements * (stage.nodes[at]?.operator.gathers ?? 1), 1);

/** Chunks that leave stage `stage` hold whole multiples of so many elements, so that lanes downstream can make whole batches of them. */
export function wholeElements(plan: ExecutionPlan, stage: number): number {
  const reader = onlyReader(plan, stage);
  if (reader === undefined) return 1;
  const planned = stageAt(plan, reader);
  return planned.stateless ? gatheredBy(planned) * wholeElements(plan, reader) : 1;
}

/** Id of the first operator behind stage `stage` that makes whole batches of every chunk. */
export function gathererBehind(plan: ExecutionPlan, stage: number): string | undefined {
  const reader = onlyReader(plan, stage);
  if (reader === undefined || !stageAt(plan, reader).stateless) return undefined;
  const { nodes } = stageAt(plan, reader);
  const [first] = gatherersOf(stageAt(plan, reader));
  return first === undefined ? gathererBehind(plan, reader) : nodes[first]?.id;
}

function onlyReader(plan: ExecutionPlan, stage: number): number | undefined {
  const [link, ...others] = outputsOf(plan, stage);
  return link === undefined || others.length > 0 ? undefined : plan.links[link]?.to;
}
