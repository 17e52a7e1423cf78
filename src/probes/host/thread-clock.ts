import { CounterFile } from './counter-file.ts';

/** CPU time of one thread. Open it inside the thread it measures. */
export interface ThreadClock {
  /** ns on a core since the thread began, as of the last `read`. */
  readonly cpu: number;
  /** ns spent queueing for a core; 0 where the source does not tell. */
  readonly runnable: number;
  /** Whether the clock resolves intervals well below the scheduler's tick. */
  readonly exact: boolean;
  readonly source: 'schedstat' | 'threadCpuUsage' | 'wall';
  /** What the clock's own readings added to this thread's count of bytes read. */
  readonly bytesRead: number;
  read(): void;
  close(): void;
}

type ThreadCpuUsage = () => { readonly user: number; readonly system: number };

export interface ThreadClockOptions {
  /** ns of waiting that the thread's owner has measured: subtracted from wall time where no CPU clock is there. */
  readonly waited?: () => number;
  readonly schedstat?: string;
  /** In Node from 22.20 on. */
  readonly threadCpuUsage?: ThreadCpuUsage | undefined;
}

/**
 * The kernel's schedstat of the thread: ns on a core, ns queued for one, times scheduled. Read alone it is updated only at the
 * scheduler's tick: 473 of 500 intervals of 200 µs read zero. So `process.cpuUsage` (getrusage of the process) is called
 * first: the kernel brings the calling thread's account up to date before it sums the threads.
 */
class SchedstatClock implements ThreadClock {
  readonly source = 'schedstat';
  readonly exact: boolean;
  cpu = 0;
  runnable = 0;
  readonly #file: CounterFile;

  constructor(file: CounterFile) {
    this.#file = file;
    this.exact = movesWithinTick(this);
  }

  get bytesRead(): number {
    return this.#file.bytesRead;
  }

  read(): void {
    process.cpuUsage();
    if (!this.#file.refresh()) return;
    const cpu = this.#file.nextNumber();
    const runnable = this.#file.nextNumber();
    if (runnable < 0) return;
    this.cpu = cpu;
    this.runnable = runnable;
  }

  close(): void {
    this.#file.close();
  }
}

/** getrusage of the thread, with the same remedy against the tick. It has no time queued for a core. */
class ThreadUsageClock implements ThreadClock {
  readonly source = 'threadCpuUsage';
  readonly exact: boolean;
  readonly runnable = 0;
  readonly bytesRead = 0;
  cpu = 0;
  readonly #usage: ThreadCpuUsage;

  constructor(usage: ThreadCpuUsage) {
    this.#usage = usage;
    this.exact = movesWithinTick(this);
  }

  read(): void {
    process.cpuUsage();
    const usage = this.#usage();
    this.cpu = (usage.user + usage.system) * 1000;
  }

  close(): void {}
}

/** Estimate: wall time less the measured waits. Too high by all other sleep and queueing for a core. */
class WallClock implements ThreadClock {
  readonly source = 'wall';
  readonly exact = false;
  readonly runnable = 0;
  readonly bytesRead = 0;
  cpu = 0;
  readonly #waited: () => number;
  readonly #opened: number;

  constructor(waited: () => number) {
    this.#waited = waited;
    this.#opened = performance.now() * 1e6 - waited();
  }

  read(): void {
    // A wait is known only once it is over, so the estimate can fall back: a total must not.
    this.cpu = Math.max(this.cpu, performance.now() * 1e6 - this.#waited() - this.#opened);
  }

  close(): void {}
}

/** Busy-waits three times 20 µs: a clock that ticks every few milliseconds does not advance in all of them. */
function movesWithinTick(clock: ThreadClock): boolean {
  for (let round = 0; round < 3; round++) {
    clock.read();
    const before = clock.cpu;
    const until = performance.now() + 0.02;
    while (performance.now() < until);
    clock.read();
    if (clock.cpu <= before) return false;
  }
  return true;
}

/** A kernel built without scheduler accounting prints three zeros; a running thread was scheduled at least once. */
function openSchedstat(path: string): CounterFile | undefined {
  const file = CounterFile.open(path);
  if (file === undefined) return undefined;
  file.nextNumber();
  file.nextNumber();
  if (file.nextNumber() > 0) return file;
  file.close();
  return undefined;
}

/** The best clock this system has for the thread that calls. */
export function openThreadClock(options: ThreadClockOptions = {}): ThreadClock {
  const file = openSchedstat(options.schedstat ?? '/proc/thread-self/schedstat');
  if (file !== undefined) return new SchedstatClock(file);
  const runtime: NodeJS.Process & { readonly threadCpuUsage?: ThreadCpuUsage } = process;
  const usage = 'threadCpuUsage' in options ? options.threadCpuUsage : runtime.threadCpuUsage?.bind(process);
  if (usage !== undefined) return new ThreadUsageClock(usage);
  return new WallClock(options.waited ?? (() => 0));
}
