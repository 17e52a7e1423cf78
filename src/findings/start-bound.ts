import { type Ns, ns, type Share, share } from '../model/units.ts';
import { percent, rate, time } from '../report/format.ts';
import type { Definition } from './definition.ts';
import { changeOf, doubtsOf, isWorthwhile, type WaitFigures, waitFigures } from './loader.ts';
import { possible, stake } from './phrases.ts';
import { startOf } from './worker-start.ts';

/** What comes before the first batch of each pass takes longest: the start of workers, or what the dataset does first. */
export const startBound: Definition<WaitFigures & { readonly start: Ns; readonly ofPass: Share }> = {
  inLoader(judged) {
    const { verdict, evidence, passes } = judged.loader;
    if (verdict.bound !== 'start') return undefined;
    const whole = evidence.wait + evidence.consume + evidence.firstWait;
    // Workers that persist spare it, where it is their start.
    const isChosen = isWorthwhile(judged.choice) && judged.choice.changes.persistent_workers === true;
    const { fix = { type: 'advice' }, gain } = (isChosen ? changeOf(judged) : startOf(judged)) ?? {};
    return {
      limits: true,
      figures: {
        ...waitFigures(judged),
        start: ns(evidence.start / Math.max(1, passes.length)),
        ofPass: share(whole > 0 ? evidence.start / whole : 0),
      },
      fix,
      gain,
      doubts: doubtsOf(judged),
    };
  },

  words: ({ figures: { rate: now, atStake, start, ofPass, workers }, gain }, { name }) => ({
    text: `${name} is held up by the start of each pass: ${time(start)} before its first batch, ${percent(ofPass)} of the time${stake(atStake)}; ${rate(now)}${possible(gain)}`,
    advice:
      workers === 0
        ? 'Look at what the dataset does before its first element: files that are opened, a buffer that is filled'
        : 'Look at what workers do before their first batch: imports, worker_init_fn, a dataset that is copied to each',
  }),
};
