import type { MachineUse } from '../../analysis/batches/machine-use.ts';
import type { Host } from '../../model/host.ts';
import type { BusyPace } from '../../model/machine-costs.ts';
import { SLIGHT } from './thresholds.ts';

/** The cores of a machine, and their other users. */
export interface Machine {
  readonly cores: number;
  /** Physical cores: without second hardware threads. */
  readonly physical: number;
  /** Threads of other programs that want a core, on average. */
  readonly others: number;
  /**
   * Cores that this program gets beside others, however many threads it has, where the scheduler divides cores among sessions.
   * Undefined where it divides them among threads, or where that is unknown.
   */
  readonly ownShare?: number | undefined;
  /** Measured speed of a thread against the number of busy threads. */
  readonly paces?: readonly BusyPace[] | undefined;
  /** Mean time for which a thread that wakes another queues for a core when all are in use, ns; undefined where not measured. */
  readonly wake?: number | undefined;
}

/** The machine between two moments of a recording. `pace`: core time received / core time wanted by preparing threads. */
export function machineOf(host: Host, use: MachineUse, from: number, to: number, pace: number): Machine {
  const cores = host.coresUsable;
  // A quota limits time on any core: second hardware threads are no narrower for it.
  const isTime = host.coresLimit === 'cgroup-v1' || host.coresLimit === 'cgroup-v2';
  const physical = isTime ? cores : Math.min(cores, host.coresPhysical ?? cores);
  const own = Math.min(cores, use.own(from, to));
  const all = use.all(from, to);
  // Under a limit of its own, others' use of the remaining cores does not count. Where all cores are wanted, others had the cores
  // that this program did not get, and they too wanted more than they got.
  const isCounted = !Number.isNaN(all) && host.coresLimit === 'none';
  const used = isCounted ? all - own : pace < 1 - SLIGHT ? cores - own : 0;
  // The cores that others leave, and at least those that the program got.
  const ownShare =
    host.coresBySession === true && isCounted ? Math.min(cores, Math.max(cores - used, own, pace)) : undefined;
  return {
    cores,
    physical,
    others: Math.max(0, used) / pace,
    ownShare,
    paces: host.costs?.busy,
    wake: host.costs?.wake,
  };
}

/** The part of a machine that each of several ranks has. */
export const shareOf = (machine: Machine, ranks: number): Machine => ({
  ...scaled(machine, count => count / ranks),
  others: machine.others / ranks,
});

/** The same machine with another number of cores. */
export const withCores = (machine: Machine, cores: number): Machine => ({
  ...scaled(machine, count => (count * cores) / machine.cores),
  cores,
});

/** Counts of cores scaled; the slowdown is the same at the same number of threads per core. */
const scaled = (machine: Machine, by: (count: number) => number): Machine => ({
  ...machine,
  cores: by(machine.cores),
  physical: by(machine.physical),
  ownShare: machine.ownShare && by(machine.ownShare),
  paces: machine.paces?.map(pace => ({ ...pace, threads: by(pace.threads) })),
});

/** Mean number of threads above which a step counts as the work of a team. */
export const TEAM = 1 + SLIGHT;

/**
 * CPU time / useful work of a team of threads in lockstep, such as torch's pool, where more threads want cores than there are.
 * They wait for each other after every piece of work, spinning: the team progresses only while all of them have a core at once.
 * With cores given to `wanting` threads at random, the probability of that is Π (cores - i) / (wanting - i).
 */
export function teamCost(team: number, wanting: number, cores: number): number {
  if (team <= 1 || wanting <= cores) return 1;
  const size = Math.min(team, cores);
  let together = 1;
  for (let thread = 0; thread < size; thread++) {
    together *= ((cores - thread) / (wanting - thread)) ** Math.min(1, size - thread);
  }
  return cores / wanting / together;
}

/**
 * Part of `teamCost` that counts: how often threads of a team wait for each other is not recorded. From 1, for threads that never do, at no
 * contention, to the cost of lockstep.
 */
export const crowded = (cost: number, contention: number): number => cost ** contention;

/**
 * Throughput of so many busy threads / that of one alone. `contention`: from 0, for the kind of work that is slowed least, to 1.
 * Where it was not measured: the scheduler fills whole cores first, and the second hardware thread of a core adds from half of one to nothing.
 */
export function capacity(machine: Machine, threads: number, contention: number): number {
  const { cores, physical, paces } = machine;
  const busy = Math.min(threads, cores);
  if (paces !== undefined) return busy * measuredPace(paces, busy, contention);
  if (busy <= physical) return busy;
  return physical + ((1 - contention) / 2) * (busy - physical);
}

/** Speed of a thread while so many are busy / its speed alone. */
export function paceAmong(machine: Machine, threads: number, contention: number): number {
  const busy = Math.max(1, Math.min(threads, machine.cores));
  return capacity(machine, busy, contention) / busy;
}

/** Linear interpolation between the numbers of threads that were measured. */
function measuredPace(paces: readonly BusyPace[], threads: number, contention: number): number {
  // Which of the two kinds is slowed more differs from machine to machine.
  const paceOf = ({ compute, memory }: BusyPace): number =>
    Math.max(compute, memory) - contention * Math.abs(compute - memory);
  const above = paces.find(pace => pace.threads >= threads) ?? paces.at(-1);
  const below = paces.findLast(pace => pace.threads <= threads) ?? paces[0];
  if (above === undefined || below === undefined) return 1;
  if (above.threads <= below.threads) return paceOf(below);
  const part = (threads - below.threads) / (above.threads - below.threads);
  return paceOf(below) + part * (paceOf(above) - paceOf(below));
}
