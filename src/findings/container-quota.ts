import { cpuIsFull } from '../analysis/bottleneck/narrow.ts';
import { ceilings, rateUnder } from '../analysis/rates/ceilings.ts';
import { type Cores, cores, elementsPerSecond } from '../model/units.ts';
import { coreCount, decimal, rate } from '../report/format.ts';
import type { Definition } from './definition.ts';

export interface Figures {
  readonly coresUsable: Cores;
  readonly coresPresent: Cores;
  readonly coresBusy: Cores;
  readonly limit: 'affinity' | 'cgroup-v1' | 'cgroup-v2';
}

/** All the cores that may be used are in use, and the machine has more. */
export const containerQuota: Definition<Figures> = {
  inPipeline(analysis) {
    const { host, rates } = analysis;
    if (host.coresLimit === 'none' || host.coresUsable >= host.coresPresent) return undefined;
    const isFull = cpuIsFull(analysis);
    const now = rates.rate.estimate;
    // More cores come with more lanes: nothing else would use them.
    const others = rateUnder(ceilings(rates), ({ kind }) => kind === 'cores' || kind === 'stage');
    const free = Math.max(host.coresUsable, host.coresPresent - (rates.cpu.others ?? 0));
    const possible = Math.min(others, (now * free) / host.coresUsable);
    return {
      limits: isFull,
      cause: isFull ? { type: 'hardware', resource: 'cpu', full: rates.cpu.utilisation } : { type: 'none' },
      figures: {
        coresUsable: cores(host.coresUsable),
        coresPresent: cores(host.coresPresent),
        coresBusy: rates.cpu.busy,
        limit: host.coresLimit,
      },
      gain:
        isFull && possible > 1.02 * now
          ? {
              rate: elementsPerSecond(possible),
              factor: possible / now,
              low: elementsPerSecond((possible / now) * rates.rate.low),
              high: elementsPerSecond((possible / now) * rates.rate.high),
            }
          : undefined,
    };
  },

  words({ figures: { coresUsable, coresPresent, limit }, limits }, { now }) {
    const by = limit === 'affinity' ? 'its CPU affinity' : 'a container quota';
    return {
      text: `This process may use ${decimal(coresUsable)} of the machine's ${coreCount(coresPresent)}, by ${by}${limits ? `, and all of them are busy; ${rate(now)}` : ''}`,
      advice: limits ? 'Raise the limit, with lanes to use it' : undefined,
    };
  },
};
