import { NS_PER_SECOND, ns, share } from '../../model/units.ts';
import { cpuIsFull, type Detector, gainOf, narrowStage } from './narrow.ts';

/** More than this part of a stage's CPU for handing elements on, and the work itself is too small to be divided. */
const OVERHEAD = 0.5;
/** Of that, what fewer stages or earlier batches spare at least. */
const LEAST_SPARED = 0.5;

/** The narrow stage spends more on encoding, decoding and hand-over than on its operators. */
export const smallOperators: Detector<'small-operators'> = analysis => {
  const narrow = narrowStage(analysis);
  const { rates } = analysis;
  if (narrow === undefined || narrow.place.limit === 'blocked') {
    if (!cpuIsFull(analysis)) return undefined;
  }
  const stages = narrow === undefined || cpuIsFull(analysis) ? rates.stages : [narrow.stage];
  const cpu = stages.reduce((sum, { cpuDemand }) => sum + cpuDemand.estimate, 0);
  const overhead = stages.reduce((sum, { overheadDemand }) => sum + overheadDemand, 0);
  if (!(overhead > OVERHEAD * cpu)) return undefined;
  const now = rates.rate.estimate;
  const ids = stages.flatMap(({ operators }) => operators);
  const its = rates.operators.filter(({ id }) => ids.includes(id));
  const visits = its.reduce((sum, { visitRatio }) => Math.max(sum, visitRatio), 0);
  return {
    kind: 'small-operators',
    limits: true,
    cause: { type: 'software' },
    operators: ids,
    figures: {
      overhead: share(overhead / cpu),
      perElement: ns(visits > 0 ? ((cpu - overhead) * NS_PER_SECOND) / visits : 0),
    },
    fix: { type: 'advice' },
    gain: gainOf(
      analysis,
      ({ kind, id }) => kind === 'cores' || (kind === 'stage' && stages.some(stage => stage.id === id)),
      Math.min(now / (1 - overhead / cpu), rates.cpu.left / (rates.totalDemand.estimate - overhead)),
      // Not all of it can be spared: the engine has its loop.
      now / (1 - (LEAST_SPARED * overhead) / cpu),
    ),
    doubts: [],
  };
};
