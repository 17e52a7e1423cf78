import { cores, share } from '../../model/units.ts';
import { cpuIsFull, type Detector, narrowStage } from './narrow.ts';

/** Lanes that want a core and do not get one for this part of the time they want it. */
const QUEUED = 0.25;
/** More lanes per core than this only add to the queue. */
const LANES_PER_CORE = 2;

/** Lanes that want less than this part of the cores are not held up by queueing. */
const LEAST_WANTED = 0.25;
/** Other programs use more than this part of them. */
const TAKEN = 0.2;

/** Lanes queue for cores: other programs have them, or there are more lanes than cores can serve. */
export const oversubscribedCores: Detector<'oversubscribed-cores'> = analysis => {
  const { cpu, stages } = analysis.rates;
  const lanes = stages.reduce((sum, stage) => sum + stage.lanes, 0);
  const sum = (state: 'running' | 'runnable'): number =>
    stages.reduce((total, stage) => total + stage.lanes * stage.states[state], 0);
  const wanted = sum('running') + sum('runnable');
  const queued = wanted > 0 ? sum('runnable') / wanted : 0;
  if (queued < QUEUED || wanted < LEAST_WANTED * cpu.usable) return undefined;
  const others = cpu.others ?? 0;
  const taken = others > TAKEN * cpu.usable && !cpuIsFull(analysis);
  if (!taken && lanes < LANES_PER_CORE * cpu.usable) return undefined;
  return {
    kind: 'oversubscribed-cores',
    // A stage that sleeps on storage or on a slow service does so on an idle machine too.
    limits: taken && (narrowStage(analysis)?.stage.states.runnable ?? 1) >= QUEUED,
    cause: { type: 'hardware', resource: 'cpu', full: share(Math.min(1, (cpu.busy + others) / cpu.usable)) },
    operators: [],
    figures: {
      lanes,
      runnable: share(queued),
      coresUsable: cores(cpu.usable),
      coresBusy: cpu.busy,
      others: cores(others),
    },
    fix: { type: 'advice' },
    gain: undefined,
    doubts: [],
  };
};
