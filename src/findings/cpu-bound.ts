import { cpuIsFull, narrowStage } from '../analysis/bottleneck/narrow.ts';
import { ceilings, rateUnder } from '../analysis/rates/ceilings.ts';
import { highest } from '../math/totals.ts';
import { type Cores, cores, type Share, share } from '../model/units.ts';
import { coreCount, decimal, percent, rate } from '../report/format.ts';
import type { Definition } from './definition.ts';
import { gainOf, lanesFor } from './gain.ts';
import { hasLanes, possible } from './phrases.ts';

export interface Figures {
  readonly lanes: number;
  readonly busy: Share;
  /** The operator's part of all CPU time. */
  readonly cpuShare: Share;
  readonly coresBusy: Cores;
  readonly coresUsable: Cores;
}

/** A stage whose ceiling is within this of the narrow one's is about as narrow. */
const CLOSE = 1.1;

/** The narrow place works on a core, or would: more lanes help while there are cores, and less work always does. */
export const cpuBound: Definition<Figures> = {
  inPipeline(analysis) {
    const { rates, states } = analysis;
    const isFull = cpuIsFull(analysis);
    const narrow = narrowStage(analysis);
    const stage = narrow?.place.limit === 'cpu' ? narrow.stage : undefined;
    if (stage === undefined && !isFull) return undefined;
    // With all cores in use every lane queues: what counts then is who uses most of them. Else it is what can be divided.
    const divisible = rates.operators.filter(operator => operator.stage === stage?.id && !operator.sequential);
    const heaviest = highest(isFull ? rates.operators : divisible, ({ cpuDemand }) => cpuDemand.estimate);
    const its = rates.stages.find(({ id }) => id === heaviest?.stage);
    if (heaviest === undefined || its === undefined) return undefined;
    const gain = isFull ? undefined : gainOf(analysis, ({ kind, id }) => kind === 'stage' && id === its.id);
    const lanes = lanesFor(its, gain?.rate ?? rateUnder(ceilings(rates), ({ kind }) => kind === 'stage'));
    const total = rates.totalDemand.estimate;
    return {
      limits: true,
      cause: isFull ? { type: 'hardware', resource: 'cpu', full: rates.cpu.utilisation } : { type: 'software' },
      operators: [heaviest.id],
      figures: {
        lanes: its.lanes,
        busy: its.busy,
        cpuShare: share(total > 0 ? heaviest.cpuDemand.estimate / total : 0),
        coresBusy: rates.cpu.busy,
        coresUsable: cores(rates.cpu.usable),
      },
      fix: isFull
        ? { type: 'advice' }
        : { type: 'set', operator: heaviest.id, setting: 'parallelism', value: Math.max(its.lanes + 1, lanes) },
      gain,
      doubts: [
        ...(states.changes > 2 && states.held < 0.8 ? (['changes'] as const) : []),
        ...(!isFull && rates.stages.some(each => each !== its && each.ceiling < CLOSE * its.ceiling)
          ? (['two-narrow-places'] as const)
          : []),
      ],
    };
  },

  words({ figures: { lanes, busy, cpuShare, coresBusy, coresUsable }, cause, gain }, { name, now }) {
    if (cause.type === 'hardware') {
      return {
        text: `${name} limits this pipeline: ${decimal(coresBusy)} of ${coreCount(coresUsable)} are busy, and it takes ${percent(cpuShare)} of their work; ${rate(now)}`,
        advice: `Make ${name} cheaper, keep what it makes, or add cores: each is worth about ${rate(now / coresBusy)}`,
      };
    }
    return {
      text: `${name} limits this pipeline: ${hasLanes(lanes)} busy ${percent(busy)} of the time, while ${decimal(coresBusy)} of ${coreCount(coresUsable)} are; ${rate(now)}${possible(gain)}`,
    };
  },
};
