import { cpuIsFull, narrowStage } from '../analysis/bottleneck/narrow.ts';
import { sumOf } from '../math/totals.ts';
import { NS_PER_SECOND, type Ns, ns, type Share, share } from '../model/units.ts';
import { percent, rate, time } from '../report/format.ts';
import type { Definition } from './definition.ts';
import { gainOf } from './gain.ts';
import { listed } from './phrases.ts';

/** More than this part of a stage's CPU for handing elements on, and the work itself is too small to be divided. */
const OVERHEAD = 0.5;
/** Of that, what fewer stages or earlier batches spare at least. */
const LEAST_SPARED = 0.5;

/** The narrow stage spends more on encoding, decoding and hand-over than on its operators. */
export const smallOperators: Definition<{ readonly overhead: Share; readonly perElement: Ns }> = {
  inPipeline(analysis) {
    const narrow = narrowStage(analysis);
    const { rates } = analysis;
    const isFull = cpuIsFull(analysis);
    if (!isFull && (narrow === undefined || narrow.place.limit === 'blocked')) return undefined;
    const stages = narrow === undefined || isFull ? rates.stages : [narrow.stage];
    const cpu = sumOf(stages, ({ cpuDemand }) => cpuDemand.estimate);
    const overhead = sumOf(stages, ({ overheadDemand }) => overheadDemand);
    if (!(overhead > OVERHEAD * cpu)) return undefined;
    const now = rates.rate.estimate;
    const ids = stages.flatMap(({ operators }) => operators);
    const narrowIds = new Set(stages.map(({ id }) => id));
    const its = rates.operators.filter(({ stage }) => narrowIds.has(stage));
    const visits = its.reduce((sum, { visitRatio }) => Math.max(sum, visitRatio), 0);
    return {
      limits: true,
      operators: ids,
      figures: {
        overhead: share(overhead / cpu),
        perElement: ns(visits > 0 ? ((cpu - overhead) * NS_PER_SECOND) / visits : 0),
      },
      gain: gainOf(
        analysis,
        ({ kind, id }) => kind === 'cores' || (kind === 'stage' && id !== undefined && narrowIds.has(id)),
        Math.min(now / (1 - overhead / cpu), rates.cpu.left / (rates.totalDemand.estimate - overhead)),
        // Not all of it can be spared: the engine has its loop.
        now / (1 - (LEAST_SPARED * overhead) / cpu),
      ),
    };
  },

  words: ({ figures: { overhead, perElement }, operators }, { label, now }) => ({
    text: `The overhead of handing elements on exceeds the work on them: ${percent(overhead)} of the CPU of ${listed(operators.map(label))} is overhead, their own work is ${time(perElement)} an element; ${rate(now)}`,
    advice: 'Let neighbours share a stage (leave out parallelism), batch earlier, or do more per call',
  }),
};
