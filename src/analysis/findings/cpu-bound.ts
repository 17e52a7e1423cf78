import { cores, share } from '../../model/units.ts';
import { ceilings, rateUnder } from '../rates/ceilings.ts';
import { cpuIsFull, type Detector, gainOf, heaviestOf, lanesFor, narrowStage } from './narrow.ts';

/** A stage whose ceiling is within this of the narrow one's is about as narrow. */
const CLOSE = 1.1;

/** The narrow place works on a core, or would: more lanes help while there are cores, and less work always does. */
export const cpuBound: Detector<'cpu-bound'> = analysis => {
  const { rates, states } = analysis;
  const isFull = cpuIsFull(analysis);
  const narrow = narrowStage(analysis);
  const stage = narrow?.place.limit === 'cpu' ? narrow.stage : undefined;
  if (stage === undefined && !isFull) return undefined;
  // With all cores in use every lane queues: what counts then is who uses most of them. Else it is what can be divided.
  const divisible = rates.operators.filter(({ id, sequential }) => stage?.operators.includes(id) && !sequential);
  const heaviest = heaviestOf(
    analysis,
    (isFull ? rates.operators : divisible).map(({ id }) => id),
  );
  const its = rates.stages.find(({ id }) => id === heaviest?.stage);
  if (heaviest === undefined || its === undefined) return undefined;
  const gain = isFull ? undefined : gainOf(analysis, ({ kind, id }) => kind === 'stage' && id === its.id);
  const lanes = lanesFor(its, gain?.rate ?? rateUnder(ceilings(rates), ({ kind }) => kind === 'stage'));
  const total = rates.totalDemand.estimate;
  return {
    kind: 'cpu-bound',
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
};
