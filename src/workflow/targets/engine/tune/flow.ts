import type { TunedPlan } from '../../../../tuning/plan.ts';

/** The operator whose elements a plan keeps. */
export const cacheOf = ({ changes }: TunedPlan): string | undefined =>
  changes.find(({ action }) => action.kind === 'cache')?.action.operator;

/** What runs in which threads, but for what a full cache leaves without work: plans in which this is the same are measured to be. */
export const flow = ({ arrangement, changes }: TunedPlan): string => {
  const working = arrangement.stages.filter(({ operators }) => operators.some(({ idle }) => !idle));
  const stages = working.map(({ lanes, operators }) => [lanes, ...operators.map(({ id }) => id)]);
  const calls = changes.flatMap(({ action }) => (action.kind === 'concurrency' ? [action] : []));
  return JSON.stringify([stages, calls]);
};
