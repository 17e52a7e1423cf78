import type { MachineUse } from '../../analysis/batches/machine-use.ts';
import type { Host } from '../../model/host.ts';

/** The cores a program has. */
export interface Machine {
  readonly cores: number;
  /** Those that are no second thread of another. */
  readonly physical: number;
  /** Cores' worth of other programs' work. */
  readonly others: number;
}

/** Threads that got this part of the cores they wanted hardly queued. */
const HARDLY_QUEUED = 0.95;

/** The machine between two moments of a recording, in which threads that wanted a core had one for `pace` of the time. */
export function machineOf(host: Host, use: MachineUse, from: number, to: number, pace: number): Machine {
  const cores = host.coresUsable;
  // A quota is time, wherever it is spent: a group of many cores has second threads to itself.
  const isTime = host.coresLimit === 'cgroup-v1' || host.coresLimit === 'cgroup-v2';
  const physical = isTime ? cores : Math.min(cores, host.coresPhysical ?? cores);
  const own = use.own(from, to);
  const all = use.all(from, to);
  // Beside a limit of its own, others' use of the rest does not count. Where all cores are wanted, what this program did
  // not get others had, and they too wanted more than they got.
  const isCounted = !Number.isNaN(all) && host.coresLimit === 'none';
  const used = isCounted ? all - own : pace < HARDLY_QUEUED ? cores - own : 0;
  return { cores, physical, others: Math.max(0, used) / pace };
}

/** What one of several ranks has of it. */
export const shareOf = ({ cores, physical, others }: Machine, ranks: number): Machine => ({
  cores: cores / ranks,
  physical: physical / ranks,
  others: others / ranks,
});

/** The same machine with another number of cores. */
export const withCores = (machine: Machine, cores: number): Machine => ({
  cores,
  physical: (cores * machine.physical) / machine.cores,
  others: machine.others,
});

/** Steps with more threads than this are a team's. */
export const TEAM = 1.2;

/**
 * How many times the CPU a team of threads takes that work in step, as torch's pool does, where more threads want cores than
 * there are. They wait for each other after every piece of work, awake; so the team gets on while all of them have a core at once,
 * which of `wanting` threads picked at random happens with probability Π (cores - i) / (wanting - i), and pays for all the time.
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
 * Work that so many busy threads get done per unit of time, in cores' worth. The scheduler fills whole cores first; the
 * second thread of a core adds `yieldOfSecond` of one.
 */
export function capacity({ cores, physical }: Machine, threads: number, yieldOfSecond: number): number {
  if (threads <= physical) return threads;
  return physical + yieldOfSecond * (Math.min(threads, cores) - physical);
}
