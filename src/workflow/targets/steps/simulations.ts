import { groupedBy } from '../../../math/groups.ts';
import { greatest, sumOf } from '../../../math/totals.ts';
import { VenturiError } from '../../../model/errors.ts';
import { MS_PER_SECOND, NS_PER_SECOND } from '../../../model/units.ts';
import type { TaskResult } from '../../../prediction/scaleout/forecast.ts';
import type { ScaleoutProfile } from '../../../prediction/scaleout/step.ts';
import { type ScaleoutJob, type ScaleoutTask, tasksOf } from '../../../prediction/scaleout/tasks.ts';
import { readHost } from '../../../probes/host/host.ts';
import { time } from '../../../report/format.ts';
import type { Waiting } from '../../attendant.ts';
import { RemainingTime } from '../../remaining-time.ts';
import { simulateOnThreads } from './simulation-threads.ts';

/** Seconds after which threads take what is left of a forecast: a short one is done before they have started. */
const ALONE_SECONDS = 1;
/** Ops of a simulation, more or less a second's work, above which it goes on a thread at once: nobody could stop the program while it simulates. */
const ALONE_OPS = 2e6;

/**
 * All simulations of a forecast, one for those that come to the same, the longest first, on as many threads as are given; else on one for each core, where it takes long. Results do not depend on it.
 * Whoever waits is told how many are done and how long the rest takes, and can stop it.
 */
export async function simulateAll(
  job: ScaleoutJob,
  profile: ScaleoutProfile,
  waiting: Waiting | undefined,
  given: number | undefined,
): Promise<TaskResult[]> {
  const workOf = (task: ScaleoutTask): number => task.workers * job.stepsOf(task);
  const alike = groupedBy(tasksOf(job.request), task => job.keyOf(task));
  const all = [...alike.values()].flat();
  const tasks = [...alike.values()].flatMap(([first]) => first ?? []).sort((a, b) => workOf(b) - workOf(a));
  const whole = sumOf(all, workOf);
  const remaining = new RemainingTime();
  const began = performance.now();
  const elapsed = (): number => (performance.now() - began) / MS_PER_SECOND;
  const results: TaskResult[] = [];
  const done = (result: TaskResult): void => {
    for (const task of alike.get(job.keyOf(result)) ?? []) results.push({ ...task, simulated: result.simulated });
    const left = remaining.after(elapsed(), sumOf(results, workOf) / whole);
    const ending = left === undefined ? '' : `, ${time(left * NS_PER_SECOND)} left`;
    waiting?.status(`${results.length} of ${all.length} simulations${ending}`);
  };
  let left: readonly ScaleoutTask[] = tasks;
  const threads = given ?? Math.floor(readHost().coresUsable);
  const aloneSeconds = given === undefined ? ALONE_SECONDS : 0;
  const ops = greatest(profile.graphs.map(({ names }) => names.length));
  const isLong = (task: ScaleoutTask | undefined): boolean => task !== undefined && workOf(task) * ops > ALONE_OPS;
  let mayUseThreads = threads > 1 || isLong(tasks[0]);
  while (left.length > 0) {
    // Signals and the terminal have their turn.
    await new Promise(resolve => setImmediate(resolve));
    refuseInterrupted(waiting);
    const [task, ...rest] = left;
    if (mayUseThreads && (elapsed() >= aloneSeconds || isLong(task))) {
      mayUseThreads = false;
      const { request } = job;
      left = await simulateOnThreads({ profile, request, tasks: left, threads, signal: waiting?.signal, done });
    } else if (task !== undefined) {
      done({ ...task, simulated: job.run(task) });
      left = rest;
    }
  }
  refuseInterrupted(waiting);
  waiting?.status(undefined);
  return results;
}

function refuseInterrupted(waiting: Waiting | undefined): void {
  if (waiting?.signal.aborted === true) throw new VenturiError('VENTURI_INTERRUPTED', 'The forecast was interrupted.');
}
