import type { Cost, PipelineCosts } from '../../../model/pipeline-costs.ts';
import { openThreadClock } from '../../host/thread-clock.ts';
import { allocateBarrier, Barrier } from './barrier.ts';
import { costOf } from './cost-of.ts';
import type { CostLanes } from './lanes.ts';

export interface BusyTask {
  readonly kind: 'copy' | 'chained' | 'independent';
  readonly barrier: SharedArrayBuffer;
  /** Threads that are busy at once. */
  readonly threads: number;
  readonly forMs: number;
  /** Bytes to copy from, and as many to copy to. */
  readonly copiedBytes: number;
}

/** What a thread copies should be more than the caches that it has to itself; and all threads together take at most so much of the memory. */
const COPIED_BYTES = 16 * 2 ** 20;
const SHARE_OF_MEMORY = 1 / 8;
const PIECE_BYTES = 2 ** 18;
/** Of a round of arithmetic. */
const STEPS = 1024;

/** Units of work that this thread gets done per second of its CPU while the others do the same: bytes, or rounds of arithmetic. */
export function workWithOthers({ kind, barrier, threads, forMs, copiedBytes }: BusyTask): number {
  const work = WORK[kind](copiedBytes);
  work();
  const meeting = new Barrier(barrier, threads);
  const clock = openThreadClock();
  meeting.wait();
  const until = performance.now() + forMs;
  let units = 0;
  clock.read();
  const before = clock.cpu;
  do units += work();
  while (performance.now() < until);
  clock.read();
  const perSecond = units / ((clock.cpu - before) / 1e9);
  clock.close();
  meeting.wait();
  return perSecond;
}

let memory: { readonly from: Uint8Array; readonly to: Uint8Array } | undefined;

/** Copies the next piece, and gives its bytes. */
function copier(size: number): () => number {
  memory ??= { from: new Uint8Array(size).fill(1), to: new Uint8Array(size).fill(2) };
  const { from, to } = memory;
  let at = 0;
  return () => {
    to.set(from.subarray(at, at + PIECE_BYTES), at);
    at = (at + PIECE_BYTES) % size;
    return PIECE_BYTES;
  };
}

/** A step of a linear congruential generator (Numerical Recipes): none can be left out. */
const step = (state: number, at: number): number => (Math.imul(state, 1664525) + at) | 0;

/** A round of arithmetic of which each step needs the one before. */
function chained(): () => number {
  let state = 1;
  return () => {
    let one = state;
    for (let at = 0; at < STEPS; at++) one = step(one, at);
    state = one;
    return 1;
  };
}

/** A round of arithmetic of which four steps at a time can be done at once. */
function independent(): () => number {
  let state = 1;
  return () => {
    let [one, two, three, four] = [state, state + 1, state + 2, state + 3];
    for (let at = 0; at < STEPS; at++) {
      one = step(one, at);
      two = step(two, at);
      three = step(three, at);
      four = step(four, at);
    }
    state = one ^ two ^ three ^ four;
    return 1;
  };
}

const WORK = { copy: copier, chained, independent };

const COPY_MS = 20;
const COMPUTE_MS = 4;
const COMPUTING = ['chained', 'independent'] as const;

/** One, two, four … and as many as there are cores. */
function threadCounts(most: number): readonly number[] {
  const counts: number[] = [];
  for (let threads = 1; threads < most; threads *= 2) counts.push(threads);
  return [...counts, most];
}

/** What memory, and what the cores, give to so many busy threads. */
export async function measureBusyThreads(
  lanes: CostLanes,
  { most, memoryUsable, rounds }: { readonly most: number; readonly memoryUsable: number; readonly rounds: number },
): Promise<Pick<PipelineCosts, 'memory' | 'compute'>> {
  const counts = threadCounts(most);
  const bytes = Math.min(COPIED_BYTES, (SHARE_OF_MEMORY * memoryUsable) / (2 * most));
  const copiedBytes = Math.max(1, Math.floor(bytes / PIECE_BYTES)) * PIECE_BYTES;
  const copied = new Map<number, number[]>(counts.map(threads => [threads, []]));
  const computed = {
    chained: new Map<number, number[]>(counts.map(threads => [threads, []])),
    independent: new Map<number, number[]>(counts.map(threads => [threads, []])),
  };
  for (let round = -1; round < rounds; round++) {
    for (const threads of counts) {
      const rate = await together(lanes, { kind: 'copy', threads, copiedBytes, forMs: COPY_MS });
      // The first has memory to touch and code to compile.
      if (round >= 0) copied.get(threads)?.push(rate);
      for (const kind of COMPUTING) {
        const work = await together(lanes, { kind, threads, copiedBytes, forMs: COMPUTE_MS });
        if (round >= 0) computed[kind].get(threads)?.push(work / threads);
      }
    }
  }
  const pace = (kind: (typeof COMPUTING)[number], threads: number): Cost =>
    costOf((computed[kind].get(threads) ?? []).map(work => work / costOf(computed[kind].get(1) ?? []).median));
  return {
    memory: counts.map(threads => ({ threads, bytesPerSecond: costOf(copied.get(threads) ?? []) })),
    compute: counts.map(threads => ({
      threads,
      chained: pace('chained', threads),
      independent: pace('independent', threads),
    })),
  };
}

/** Sum over so many threads at once. */
async function together(lanes: CostLanes, order: Omit<BusyTask, 'barrier'>): Promise<number> {
  const task: BusyTask = { ...order, barrier: allocateBarrier() };
  const rates = await Promise.all(Array.from({ length: order.threads }, (_, at) => lanes.ask<number>(at, task)));
  return rates.reduce((sum, rate) => sum + rate, 0);
}
