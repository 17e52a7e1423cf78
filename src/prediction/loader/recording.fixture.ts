import { newBatch } from '../../analysis/batches/batch.ts';
import type { BatchFacts, PassSpan } from '../../analysis/batches/fold.ts';
import type { MachineUse } from '../../analysis/batches/machine-use.ts';
import type { Host } from '../../model/host.ts';
import type { LoaderSettings } from '../../model/loader-facts.ts';

export const MS = 1e6;
export const host: Host = {
  platform: 'linux',
  arch: 'x64',
  kernel: '6',
  cpuModel: 'a',
  coresPresent: 4,
  coresUsable: 4,
  coresLimit: 'none',
  coresPhysical: 2,
  memoryPresent: 1e10,
  memoryUsable: 1e10,
  memoryLimit: 'none',
  runtime: 'python',
};
/** A machine of which nobody counted what other programs used. */
export const idle: MachineUse = {
  processes: [],
  own: () => 1,
  all: () => Number.NaN,
  memoryLeft: Number.NaN,
  memoryAvailable: Number.NaN,
  sharedSpace: Number.NaN,
};

export interface Times {
  readonly prepare: number;
  readonly cpu: number;
  readonly queued: number;
  readonly consume: number;
  readonly consumeCpu: number;
}

/** Batches one after the other, each waited for: prepared, then 1 ms on its way, then consumed. */
export function batchesOf(count: number, times: Times, workers: number) {
  let now = 0;
  return Array.from({ length: count }, (_, number) => {
    const batch = newBatch('loader', 1, number);
    const waitStart = now;
    const prepareEnd = waitStart + times.prepare * MS;
    now = prepareEnd + (workers === 0 ? 0 : MS);
    Object.assign(batch, {
      pass: 0,
      preparer: workers === 0 ? 1 : 2,
      task: number,
      dispatched: waitStart - MS,
      waitStart,
      prepareStart: waitStart,
      prepareEnd,
      cpu: times.cpu * MS,
      runDelay: times.queued * MS,
      elements: 4,
      bytes: number % 4 === 0 ? 4000 : Number.NaN,
      arrived: now,
      waitEnd: now,
      consumeEnd: now + times.consume * MS,
      consumeCpu: times.consumeCpu * MS,
      consumeQueued: 0,
      // Without workers the consumer's process prepares while it waits, and a pool of threads helps.
      waitCpu: workers === 0 ? (times.cpu + 3) * MS : 0,
    });
    now += times.consume * MS;
    return batch;
  });
}

export const factsOf = (
  batches: BatchFacts['batches'],
  workers: number,
  settings: LoaderSettings = {},
): BatchFacts => ({
  batches,
  passes: [],
  beginnings: [],
  preparers: [],
  ahead: [],
  sharedSpace: undefined,
  operators: new Map(),
  slowest: [],
  loaders: new Map([
    [
      'loader',
      { loader: 'loader', location: undefined, settings: { num_workers: workers, length: 4000, ...settings } },
    ],
  ]),
  operatorFacts: new Map(),
  process: undefined,
  ranks: new Map(),
});

export interface WorkerRecording {
  readonly workers: number;
  /** Batches of 4 elements that were recorded in each pass. */
  readonly batches: number;
  readonly passes?: number;
  /** Milliseconds: from the first order until a worker that was just started begins; CPU of a batch; the step, asleep. */
  readonly start: number;
  readonly prepare: number;
  readonly step: number;
  /** What the first batch of a worker takes more: it imports modules, and fills caches. */
  readonly warmUp?: number;
  readonly persistent: boolean;
  /** The last pass has its end. */
  readonly isWhole?: boolean;
}

/** What is recorded of workers that take a while to start, and then prepare one batch after the other while the consumer sleeps. */
export function recordingOf(wish: WorkerRecording): Pick<BatchFacts, 'batches' | 'beginnings' | 'passes'> {
  const { workers, start, prepare, step, persistent, passes = 1, isWhole = false, warmUp = 0 } = wish;
  const facts = {
    batches: [] as BatchFacts['batches'][number][],
    beginnings: [] as PassSpan[],
    passes: [] as PassSpan[],
  };
  let now = 1000 * MS;
  for (let pass = 0; pass < passes; pass++) {
    const begin = now;
    facts.beginnings.push({ loader: 'loader', consumer: 1, pass, start: begin, end: begin });
    const free = Array.from({ length: workers }, () => begin + (pass > 0 && persistent ? 0 : start * MS));
    const taken: number[] = [];
    const isCold = pass === 0 || !persistent;
    for (let at = 0; at < wish.batches; at++) {
      const dispatched = at < 2 * workers ? begin : (taken[at - 2 * workers] ?? now);
      const worker = at % workers;
      const prepareStart = Math.max(dispatched, free[worker] ?? 0);
      const cpu = (prepare + (isCold && at < workers ? warmUp : 0)) * MS;
      const prepareEnd = prepareStart + cpu;
      free[worker] = prepareEnd;
      const waitEnd = Math.max(now, prepareEnd + 0.2 * MS);
      taken[at] = waitEnd;
      facts.batches.push(
        Object.assign(newBatch('loader', 1, pass * wish.batches + at), {
          pass,
          preparer: 2 + worker + (persistent ? 0 : pass * workers),
          task: at,
          dispatched,
          waitStart: now,
          prepareStart,
          prepareEnd,
          cpu,
          runDelay: 0,
          elements: 4,
          bytes: 4000,
          arrived: prepareEnd + 0.1 * MS,
          waitEnd,
          consumeEnd: waitEnd + step * MS,
          consumeCpu: 0,
          consumeQueued: 0,
        }),
      );
      now = waitEnd + step * MS;
    }
    if (isWhole || pass < passes - 1) {
      facts.passes.push({ loader: 'loader', consumer: 1, pass, start: begin, end: now });
    }
  }
  return facts;
}
