import type { Ns } from '../model/units.ts';
import { time } from '../report/format.ts';
import type { Definition } from './definition.ts';

/** Time of a step on the device / on the host from which on the device falls behind. A judgement: steps differ by some percent anyway. */
const BEHIND = 1.05;

/** The host was through with steps faster than the device, so that steps as marked are shorter than those of a longer training. */
export const deviceBehind: Definition<{ readonly step: Ns; readonly onDevice: Ns }> = {
  inSteps({ time: { mean }, devicePace }) {
    if (devicePace === undefined || !(devicePace > BEHIND * mean)) return undefined;
    return { limits: false, figures: { step: mean, onDevice: devicePace } };
  },

  words: ({ figures: { step, onDevice } }) => ({
    text: `The device falls behind the host, which marks steps of ${time(step)}: the device takes ${time(onDevice)} for one, and so will a longer training`,
    advice: 'Profile later steps, or more of them, until the host waits for the device',
  }),
};
