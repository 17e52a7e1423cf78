import type { Analysis } from '../analysis/analysis.ts';
import { passedInParts } from '../analysis/bottleneck/in-parts.ts';
import { cpuIsFull, narrowStage } from '../analysis/bottleneck/narrow.ts';
import { type Cores, cores, type Share, share } from '../model/units.ts';
import { coreCount, decimal, percent, rate } from '../report/format.ts';
import type { Definition } from './definition.ts';
import { listed } from './phrases.ts';

/** The runtime's collector and compiler take some CPU outside the lanes too; this much is not theirs. */
const LEAST_CORES = 0.3;
const LEAST_PART = 0.35;
/** Where the narrow stage sleeps, CPU outside the lanes that makes up this part of its sleep is what it waits for. */
const OF_SLEEP = 0.5;

/** More CPU is used outside all lanes than the runtime takes by itself. */
export const isMuchOutside = ({ rates: { cpu } }: Analysis): boolean =>
  cpu.outside >= LEAST_CORES && cpu.outside >= LEAST_PART * cpu.busy;

/** A user function works in threads of its own: its lane sleeps while they use the cores. */
export const ownThreads: Definition<{
  readonly outside: Cores;
  readonly ofProcess: Share;
  readonly coresUsable: Cores;
}> = {
  inPipeline(analysis) {
    const { cpu, stages, outsideDemand } = analysis.rates;
    const part = cpu.busy > 0 ? cpu.outside / cpu.busy : 0;
    const narrow = narrowStage(analysis);
    const isAsleep = narrow?.place.limit === 'blocked';
    const isWaitedFor = isAsleep && outsideDemand >= OF_SLEEP * narrow.stage.blockedDemand;
    if (!isMuchOutside(analysis) && !(cpu.outside >= LEAST_CORES && isWaitedFor)) return undefined;
    // What goes through a channel in parts keeps the collector busy: then it cannot be told who works outside the lanes.
    if (passedInParts(analysis).length > 0) return undefined;
    // Whoever sleeps most while others compute is the likeliest to have sent them the work.
    const sleepers = [...stages].sort((a, b) => b.blockedDemand - a.blockedDemand);
    const sender = isAsleep ? narrow.stage : sleepers[0];
    const isFull = cpuIsFull(analysis);
    return {
      limits: isFull || isAsleep,
      cause: isFull ? { type: 'hardware', resource: 'cpu', full: cpu.utilisation } : { type: 'software' },
      operators: sender === undefined || sender.blockedDemand === 0 ? [] : callersOf(analysis, sender.operators),
      figures: { outside: cpu.outside, ofProcess: share(part), coresUsable: cores(cpu.usable) },
    };
  },

  words({ figures: { outside, ofProcess, coresUsable }, operators }, { label, now }) {
    const who = operators.length === 0 ? 'Something' : listed(operators.map(label));
    return {
      text: `${who} works in threads of its own: ${decimal(outside)} of ${coreCount(coresUsable)} (${percent(ofProcess)} of the process) are used outside all lanes; ${rate(now)}`,
      advice: 'Limit those threads to one per lane, or keep one lane and leave the cores to them: not both',
    };
  },
};

/** Of a stage's operators, those that can have started threads; all of them where that is not known. */
function callersOf({ graph }: Analysis, ids: readonly string[]): readonly string[] {
  const its = new Set(ids);
  const callers = graph.operators
    .filter(({ id, callsFunction, inputs }) => its.has(id) && callsFunction === true && inputs.length > 0)
    .map(({ id }) => id);
  return callers.length > 0 ? callers : ids;
}
