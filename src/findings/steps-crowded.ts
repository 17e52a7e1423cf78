import { mean } from '../math/statistics.ts';
import { type Cores, cores } from '../model/units.ts';
import { forecastLoader } from '../prediction/loader/forecast.ts';
import { TEAM } from '../prediction/loader/machine.ts';
import { coreCount, decimal } from '../report/format.ts';
import type { Definition } from './definition.ts';

/** Of a change outside the loader. */
const WORTH_A_VARIABLE = 1.1;

/**
 * Threads of a step wait for each other, and workers on their cores hold them up. Steps of one thread take longer alone, and go on
 * beside busy workers. What that gains is for a trial to say.
 */
export const stepsCrowded: Definition<{ readonly threads: number; readonly coresUsable: Cores }> = {
  inLoader({ loader, profile, choice }) {
    if (profile === undefined || choice === undefined || choice.best.setting.workers === 0) return undefined;
    const threads = mean(profile.steps.map(step => step.threads));
    if (threads < TEAM || profile.steps.some(({ device }) => device > 0)) return undefined;
    const single = {
      ...profile,
      steps: profile.steps.map(step => ({
        ...step,
        cpu: (step.cpu * step.threads) / step.crowding,
        threads: 1,
        crowding: 1,
      })),
    };
    const rate = forecastLoader(single, choice.best.setting, choice.whatIf).rate.estimate;
    if (rate < WORTH_A_VARIABLE * choice.best.rate.estimate) return undefined;
    return { limits: false, figures: { threads, coresUsable: cores(loader.evidence.coresUsable) } };
  },

  words: ({ figures: { threads, coresUsable } }, { name }) => ({
    text: `A step of ${name} runs on ${decimal(threads)} threads in lockstep; workers compete for their ${coreCount(coresUsable)}`,
    advice: 'Try OMP_NUM_THREADS=1, or torch.set_num_threads(1): steps of one thread go on beside workers',
  }),
};
