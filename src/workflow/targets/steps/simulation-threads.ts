import { once, setMaxListeners } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { TaskResult } from '../../../prediction/scaleout/forecast.ts';
import type { ScaleoutRequest } from '../../../prediction/scaleout/request.ts';
import type { Simulated } from '../../../prediction/scaleout/simulated.ts';
import type { ScaleoutProfile } from '../../../prediction/scaleout/step.ts';
import type { ScaleoutTask } from '../../../prediction/scaleout/tasks.ts';

/** What threads simulate, and whoever is told of each result. */
export interface ThreadedWork {
  readonly profile: ScaleoutProfile;
  readonly request: ScaleoutRequest;
  readonly tasks: readonly ScaleoutTask[];
  /** Number of threads, at most. */
  readonly threads: number;
  readonly signal: AbortSignal | undefined;
  done(result: TaskResult): void;
}

/**
 * Simulates tasks on threads, in their order, each when a thread is free. Returns those that are left: all where a system allows no threads, and what a thread
 * failed at, which fails again for whoever does it next.
 */
export async function simulateOnThreads(work: ThreadedWork): Promise<readonly ScaleoutTask[]> {
  const { profile, request, tasks, threads, signal, done } = work;
  const left = [...tasks];
  // Each thread listens, and there may be more than Node expects of one signal.
  const stop = AbortSignal.any(signal === undefined ? [] : [signal]);
  setMaxListeners(0, stop);
  const workers = Array.from(
    { length: Math.min(threads, tasks.length) },
    () =>
      new Worker(new URL('./simulation-thread.js', import.meta.url), {
        workerData: { profile, request },
        execArgv: [],
      }),
  );
  const serve = async (worker: Worker): Promise<void> => {
    for (let task = left.shift(); task !== undefined; task = left.shift()) {
      try {
        const answer = once(worker, 'message', { signal: stop });
        worker.postMessage(task);
        const [simulated] = (await answer) as [Simulated];
        done({ ...task, simulated });
      } catch {
        left.push(task);
        return;
      }
    }
  };
  try {
    await Promise.all(workers.map(serve));
  } finally {
    await Promise.all(workers.map(worker => worker.terminate()));
  }
  return left;
}
