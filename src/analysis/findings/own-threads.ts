import { cores, share } from '../../model/units.ts';
import type { Analysis } from '../analysis.ts';
import { cpuIsFull, type Detector, narrowStage } from './narrow.ts';

/** The runtime's collector and compiler take some CPU outside the lanes too; this much is not theirs. */
const LEAST_CORES = 0.3;
const LEAST_PART = 0.35;
/** Where the narrow stage sleeps, CPU outside the lanes that makes up this part of its sleep is what it waits for. */
const OF_SLEEP = 0.5;

/** A user function works in threads of its own: its lane sleeps while they use the cores. */
export const ownThreads: Detector<'own-threads'> = analysis => {
  const { cpu, stages, outsideDemand } = analysis.rates;
  const part = cpu.busy > 0 ? cpu.outside / cpu.busy : 0;
  const narrow = narrowStage(analysis);
  const isWaitedFor = narrow?.place.limit === 'blocked' && outsideDemand >= OF_SLEEP * narrow.stage.blockedDemand;
  if (cpu.outside < LEAST_CORES || (part < LEAST_PART && !isWaitedFor)) return undefined;
  // Whoever sleeps most while others compute is the likeliest to have sent them the work.
  const sleepers = [...stages].sort((a, b) => b.blockedDemand - a.blockedDemand);
  const sender = narrow?.place.limit === 'blocked' ? narrow.stage : sleepers[0];
  const limits = cpuIsFull(analysis) || narrow?.place.limit === 'blocked';
  return {
    kind: 'own-threads',
    limits,
    cause: cpuIsFull(analysis) ? { type: 'hardware', resource: 'cpu', full: cpu.utilisation } : { type: 'software' },
    operators: sender === undefined || sender.blockedDemand === 0 ? [] : callersOf(analysis, sender.operators),
    figures: { outside: cpu.outside, ofProcess: share(part), coresUsable: cores(cpu.usable) },
    fix: { type: 'advice' },
    gain: undefined,
    doubts: [],
  };
};

/** Of a stage's operators, those that can have started threads; all of them where that is not known. */
function callersOf({ graph }: Analysis, ids: readonly string[]): readonly string[] {
  const callers = graph.operators
    .filter(({ id, callsFunction, inputs }) => ids.includes(id) && callsFunction === true && inputs.length > 0)
    .map(({ id }) => id);
  return callers.length > 0 ? callers : ids;
}
