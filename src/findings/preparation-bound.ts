import { highest } from '../math/totals.ts';
import { type Cores, cores, type Share, share } from '../model/units.ts';
import { coreCount, decimal, percent, plural, rate, time } from '../report/format.ts';
import type { Definition } from './definition.ts';
import { changeOf, type WaitFigures, waitFigures } from './loader.ts';
import { possible, stake } from './phrases.ts';

export interface Figures extends WaitFigures {
  readonly coresBusy: Cores;
  readonly coresUsable: Cores;
  /** The operator with most of the work, and its part. */
  readonly heaviest: string | undefined;
  readonly heaviestShare: Share;
}

/** The consumer waits for batches that are not ready. */
export const preparationBound: Definition<Figures> = {
  inLoader(judged) {
    const { loader, coresBusy } = judged;
    if (loader.verdict.bound !== 'preparation') return undefined;
    const heaviest = highest(loader.operators, row => row.share);
    return {
      ...changeOf(judged),
      limits: true,
      operators: [loader.name, ...(heaviest === undefined ? [] : [heaviest.operator])],
      figures: {
        ...waitFigures(judged),
        coresBusy: cores(coresBusy),
        coresUsable: cores(loader.evidence.coresUsable),
        heaviest: heaviest?.operator,
        heaviestShare: heaviest?.share ?? share(0),
      },
    };
  },

  words({ figures, gain }, { name }) {
    const { waiting, atStake, preparation, step, coresBusy, coresUsable, heaviest, heaviestShare } = figures;
    const workers = figures.workers === 0 ? 'no workers' : plural(figures.workers, 'worker');
    const most = heaviest === undefined ? '' : `; ${heaviest} has ${percent(heaviestShare)} of the work`;
    return {
      text:
        `${name} is limited by preparation: its consumer waits ${percent(waiting)} of the time${stake(atStake)}; with ${workers} a batch takes ` +
        `${time(preparation)} to prepare and ${time(step)} to consume, ${decimal(coresBusy)} of ${coreCount(coresUsable)} busy; ${rate(figures.rate)}${possible(gain)}`,
      advice: `Make the preparation cheaper: more workers would not help${most}`,
    };
  },
};
