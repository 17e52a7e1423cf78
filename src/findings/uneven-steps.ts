import { type Ns, ns } from '../model/units.ts';
import { percent, time } from '../report/format.ts';
import type { Definition } from './definition.ts';

/** Standard deviation / mean from which on steps differ enough to be told. A judgement. */
const UNEVEN = 0.1;

/** Steps differ in their times. */
export const unevenSteps: Definition<{
  readonly deviation: Ns;
  readonly ofMean: number;
  readonly least: Ns;
  readonly most: Ns;
  readonly isFirst: boolean;
}> = {
  inSteps({ time: { deviation, mean, least, most, count }, steps }) {
    if (count < 2 || !(deviation > UNEVEN * mean)) return undefined;
    const isFirst = steps[0]?.duration === most;
    return { limits: false, figures: { deviation: ns(deviation), ofMean: deviation / mean, least, most, isFirst } };
  },

  words: ({ figures: { ofMean, least, most, isFirst } }) => ({
    text: `Steps take from ${time(least)} to ${time(most)}, a standard deviation of ${percent(ofMean)}${isFirst ? '; the first is the longest' : ''}`,
    advice: isFirst
      ? 'Profile later steps: torch.profiler.schedule(wait=2, warmup=2, active=6)'
      : 'Look at the steps one by one: venturi info shows each',
  }),
};
