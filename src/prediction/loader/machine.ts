import type { MachineUse } from '../../analysis/batches/machine-use.ts';
import type { Host } from '../../model/host.ts';
import type { BusyPace } from '../../model/machine-costs.ts';

/** The cores a program has. */
export interface Machine {
  readonly cores: number;
  /** Those that are no second thread of another. */
  readonly physical: number;
  /** Cores' worth of other programs' work. */
  readonly others: number;
  /**
   * Cores that this program gets, however many threads it has, while others want theirs: the scheduler divides cores among sessions.
   * Undefined where it divides them among threads, or nobody says.
   */
  readonly ownShare?: number | undefined;
  /** What busy threads cost each other, where that was measured. */
  readonly paces?: readonly BusyPace[] | undefined;
  /** What a thread that sets another to work waits for a core where all are in use, ns, on average; undefined where nobody measured it. */
  readonly wake?: number | undefined;
}

/** Threads that got this part of the cores they wanted hardly queued. */
const HARDLY_QUEUED = 0.95;

/** The machine between two moments of a recording, in which threads that wanted a core had one for `pace` of the time. */
export function machineOf(host: Host, use: MachineUse, from: number, to: number, pace: number): Machine {
  const cores = host.coresUsable;
  // A quota is time, wherever it is spent: a group of many cores has second threads to itself.
  const isTime = host.coresLimit === 'cgroup-v1' || host.coresLimit === 'cgroup-v2';
  const physical = isTime ? cores : Math.min(cores, host.coresPhysical ?? cores);
  const own = Math.min(cores, use.own(from, to));
  const all = use.all(from, to);
  // Beside a limit of its own, others' use of the rest does not count. Where all cores are wanted, what this program did
  // not get others had, and they too wanted more than they got.
  const isCounted = !Number.isNaN(all) && host.coresLimit === 'none';
  const used = isCounted ? all - own : pace < HARDLY_QUEUED ? cores - own : 0;
  // What others leave; and what it got of those it wanted, which they would not leave it beyond.
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

/** What one of several ranks has of it. */
export const shareOf = (machine: Machine, ranks: number): Machine => ({
  ...machine,
  cores: machine.cores / ranks,
  physical: machine.physical / ranks,
  others: machine.others / ranks,
  ownShare: machine.ownShare === undefined ? undefined : machine.ownShare / ranks,
  paces: machine.paces?.map(pace => ({ ...pace, threads: pace.threads / ranks })),
});

/** The same machine with another number of cores. */
export const withCores = (machine: Machine, cores: number): Machine => ({
  ...machine,
  cores,
  physical: (cores * machine.physical) / machine.cores,
  ownShare: machine.ownShare === undefined ? undefined : (machine.ownShare * cores) / machine.cores,
  // As crowded at so many more.
  paces: machine.paces?.map(pace => ({ ...pace, threads: (pace.threads * cores) / machine.cores })),
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

/** Threads of a team that do not wait for each other all the time lose less than that: from little of it, 0, to all, 1. */
const LEAST_CROWDED = 0.3;

export const crowded = (cost: number, suffering: number): number =>
  cost ** (LEAST_CROWDED + (1 - LEAST_CROWDED) * suffering);

/** What the second thread of a core adds to the first: from hardly anything to half, by what runs on it. */
const YIELD_LOW = 0.15;
const YIELD_HIGH = 0.45;

/**
 * Work that so many busy threads get done per unit of time, in parts of what one does alone. `suffering`: from 0, work of the kind that
 * suffers least from others, to 1. Where nobody measured it, the scheduler fills whole cores first, and the second thread of a core adds a part
 * of one.
 */
export function capacity(machine: Machine, threads: number, suffering: number): number {
  const { cores, physical, paces } = machine;
  const busy = Math.min(threads, cores);
  if (paces !== undefined) return busy * measuredPace(paces, busy, suffering);
  if (busy <= physical) return busy;
  return physical + (YIELD_HIGH - suffering * (YIELD_HIGH - YIELD_LOW)) * (busy - physical);
}

/** What a thread gets done while so many are busy, in parts of what it does alone. */
export function paceAmong(machine: Machine, threads: number, suffering: number): number {
  const busy = Math.max(1, Math.min(threads, machine.cores));
  return capacity(machine, busy, suffering) / busy;
}

/** By a straight line between the numbers that were tried. */
function measuredPace(paces: readonly BusyPace[], threads: number, suffering: number): number {
  // The one kind suffers more on this machine, on another the other.
  const paceOf = ({ compute, memory }: BusyPace): number =>
    Math.max(compute, memory) - suffering * Math.abs(compute - memory);
  const above = paces.find(pace => pace.threads >= threads) ?? paces.at(-1);
  const below = paces.findLast(pace => pace.threads <= threads) ?? paces[0];
  if (above === undefined || below === undefined) return 1;
  if (above.threads <= below.threads) return paceOf(below);
  const part = (threads - below.threads) / (above.threads - below.threads);
  return paceOf(below) + part * (paceOf(above) - paceOf(below));
}
