import { cpuIsFull, narrowStage } from '../analysis/bottleneck/narrow.ts';
import { sumOf } from '../math/totals.ts';
import { type Cores, cores, type Share, share } from '../model/units.ts';
import { coreCount, decimal, percent, plural, rate } from '../report/format.ts';
import type { Definition } from './definition.ts';

export interface Figures {
  readonly lanes: number;
  readonly runnable: Share;
  readonly coresUsable: Cores;
  readonly coresBusy: Cores;
  /** Used by other programs. */
  readonly others: Cores;
}

/** Lanes that want a core and do not get one for this part of the time they want it. */
const QUEUED = 0.25;
/** More lanes per core than this only add to the queue. */
const LANES_PER_CORE = 2;

/** Lanes that want less than this part of the cores are not held up by queueing. */
const LEAST_WANTED = 0.25;
/** Other programs use more than this part of them: then they are told of. */
export const TAKEN = 0.2;

/** Lanes queue for cores: other programs have them, or there are more lanes than cores can serve. */
export const oversubscribedCores: Definition<Figures> = {
  inPipeline(analysis) {
    const { cpu, stages } = analysis.rates;
    const lanes = sumOf(stages, stage => stage.lanes);
    const runnable = sumOf(stages, stage => stage.lanes * stage.states.runnable);
    const wanted = sumOf(stages, stage => stage.lanes * stage.states.running) + runnable;
    const queued = wanted > 0 ? runnable / wanted : 0;
    if (queued < QUEUED || wanted < LEAST_WANTED * cpu.usable) return undefined;
    const others = cpu.others ?? 0;
    const taken = others > TAKEN * cpu.usable && !cpuIsFull(analysis);
    if (!taken && lanes < LANES_PER_CORE * cpu.usable) return undefined;
    return {
      // A stage that sleeps on storage or on a slow service does so on an idle machine too.
      limits: taken && (narrowStage(analysis)?.stage.states.runnable ?? 1) >= QUEUED,
      cause: { type: 'hardware', resource: 'cpu', full: share(Math.min(1, (cpu.busy + others) / cpu.usable)) },
      figures: {
        lanes,
        runnable: share(queued),
        coresUsable: cores(cpu.usable),
        coresBusy: cpu.busy,
        others: cores(others),
      },
    };
  },

  words({ figures: { lanes, runnable, coresUsable, coresBusy, others }, limits }, { now }) {
    if (limits) {
      return {
        text: `Other programs limit this pipeline: they use ${decimal(others)} of ${coreCount(coresUsable)}, it gets ${decimal(coresBusy)}, and its lanes queue for a core ${percent(runnable)} of the time they could run; ${rate(now)}`,
        advice: 'Stop the other programs, or record again when the machine is idle',
      };
    }
    if (others > TAKEN * coresUsable) {
      return {
        text: `Other programs use ${decimal(others)} of ${coreCount(coresUsable)}`,
        advice: 'Record again when the machine is idle: lanes queue for a core meanwhile',
      };
    }
    return {
      text: `${plural(lanes, 'lane')} share ${coreCount(coresUsable)} and queue for them ${percent(runnable)} of the time they want one`,
      advice: 'Use fewer lanes: they would do the same work with less switching',
    };
  },
};
