import { narrowStage } from '../analysis/bottleneck/narrow.ts';
import type { Share } from '../model/units.ts';
import { percent, plural, rate } from '../report/format.ts';
import type { Definition } from './definition.ts';
import { gainOf } from './gain.ts';
import { listed, possible } from './phrases.ts';

/** One lane of several is full while the others have time: a matter of balance, not of more lanes. */
export const skewedLanes: Definition<{ readonly lanes: number; readonly busiest: Share; readonly busy: Share }> = {
  inPipeline(analysis) {
    const narrow = narrowStage(analysis);
    if (narrow?.place.limit !== 'skew') return undefined;
    const { stage } = narrow;
    return {
      limits: true,
      operators: stage.operators,
      figures: { lanes: stage.lanes, busiest: stage.busiest, busy: stage.busy },
      gain: gainOf(analysis, () => false, analysis.rates.rate.estimate * (stage.busiest / stage.busy)),
    };
  },

  words: ({ figures: { lanes, busiest, busy }, operators, gain }, { label, now }) => ({
    text: `One of ${plural(lanes, 'lane')} of ${listed(operators.map(label))} does most of the work: it is busy ${percent(busiest)} of the time, the mean lane ${percent(busy)}; ${rate(now)}${possible(gain)}`,
    advice: 'Spread elements more evenly (another key, smaller pieces): more lanes would wait like the others',
  }),
};
