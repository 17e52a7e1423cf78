import { type Detector, gainOf, narrowStage } from './narrow.ts';

/** One lane of several is full while the others have time: a matter of balance, not of more lanes. */
export const skewedLanes: Detector<'skewed-lanes'> = analysis => {
  const narrow = narrowStage(analysis);
  if (narrow?.place.limit !== 'skew') return undefined;
  const { stage } = narrow;
  const { rates } = analysis;
  return {
    kind: 'skewed-lanes',
    limits: true,
    cause: { type: 'software' },
    operators: stage.operators,
    figures: { lanes: stage.lanes, busiest: stage.busiest, busy: stage.busy },
    fix: { type: 'advice' },
    gain: gainOf(analysis, () => false, rates.rate.estimate * (stage.busiest / stage.busy)),
    doubts: [],
  };
};
