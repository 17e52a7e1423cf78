import { type Ns, ns } from '../model/units.ts';
import { percent, time } from '../report/format.ts';
import type { Definition } from './definition.ts';
import { stepAdvice } from './step-advice.ts';

/** Standard deviation / mean from which on steps differ enough to be told. A judgement. */
const UNEVEN = 0.1;

/** Steps differ in their times. */
export const unevenSteps: Definition<{
  readonly deviation: Ns;
  readonly ofMean: number;
  readonly least: Ns;
  readonly most: Ns;
  readonly isFirst: boolean;
  readonly source: string;
}> = {
  inSteps({ time: { deviation, mean, least, most, count }, steps, source }) {
    if (count < 2 || !(deviation > UNEVEN * mean)) return undefined;
    const isFirst = steps[0]?.duration === most;
    return {
      limits: false,
      figures: { deviation: ns(deviation), ofMean: deviation / mean, least, most, isFirst, source },
    };
  },

  words: ({ figures: { ofMean, least, most, isFirst, source } }) => ({
    text: `Steps take from ${time(least)} to ${time(most)}, a standard deviation of ${percent(ofMean)}${isFirst ? '; the first is the longest' : ''}`,
    advice: isFirst ? stepAdvice('later', source) : 'Look at the steps one by one: venturi info shows each',
  }),
};
