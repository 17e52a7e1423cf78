import { cores, elementsPerSecond } from '../../model/units.ts';
import { ceilings, rateUnder } from '../rates/ceilings.ts';
import { cpuIsFull, type Detector } from './narrow.ts';

/** All the cores that may be used are in use, and the machine has more. */
export const containerQuota: Detector<'container-quota'> = analysis => {
  const { host, rates } = analysis;
  if (host.coresLimit === 'none' || host.coresUsable >= host.coresPresent) return undefined;
  const isFull = cpuIsFull(analysis);
  const now = rates.rate.estimate;
  // More cores come with more lanes: nothing else would use them.
  const others = rateUnder(ceilings(rates), ({ kind }) => kind === 'cores' || kind === 'stage');
  const free = Math.max(host.coresUsable, host.coresPresent - (rates.cpu.others ?? 0));
  const rate = Math.min(others, (now * free) / host.coresUsable);
  return {
    kind: 'container-quota',
    limits: isFull,
    cause: isFull ? { type: 'hardware', resource: 'cpu', full: rates.cpu.utilisation } : { type: 'none' },
    operators: [],
    figures: {
      coresUsable: cores(host.coresUsable),
      coresPresent: cores(host.coresPresent),
      coresBusy: rates.cpu.busy,
      limit: host.coresLimit,
    },
    fix: { type: 'advice' },
    gain:
      isFull && rate > 1.02 * now
        ? {
            rate: elementsPerSecond(rate),
            factor: rate / now,
            low: elementsPerSecond((rate / now) * rates.rate.low),
            high: elementsPerSecond((rate / now) * rates.rate.high),
          }
        : undefined,
    doubts: [],
  };
};
