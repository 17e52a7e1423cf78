import type { PipelineCosts } from '../../../model/pipeline-costs.ts';
import { readHost } from '../../host/host.ts';
import { measureAndKeep } from '../../host/kept-measurement.ts';
import { openThreadClock } from '../../host/thread-clock.ts';
import { measureBusyThreads } from './busy-threads.ts';
import { measureFreshPages } from './fresh-page.ts';
import { keptCosts } from './kept-costs.ts';
import { CostLanes } from './lanes.ts';
import { measureStart } from './start.ts';
import { measureTransfer } from './transfer.ts';
import { measureWake } from './wake.ts';

/** Rounds of each measurement; a pipeline takes longer to start than all the others together. */
const ROUNDS = 5;
const START_ROUNDS = 3;
/** Threads beyond this add to the time it takes, and little to what is known. */
const MOST_THREADS = 32;
/** Handing on takes two, on one core as well. */
const LEAST_THREADS = 2;

/** Measures what lanes cost on this machine: about two seconds. */
export const measurePipelineCosts = (writer: string): Promise<PipelineCosts> =>
  measureAndKeep(keptCosts(writer), busyShare => measured(writer, busyShare));

async function measured(writer: string, busyShare: number): Promise<PipelineCosts> {
  const began = performance.now();
  const { coresUsable, memoryUsable, runtime } = readHost();
  const cores = Math.max(1, Math.floor(coresUsable));
  const lanes = new CostLanes(Math.max(LEAST_THREADS, Math.min(MOST_THREADS, cores)));
  const clock = openThreadClock();
  try {
    const costs = {
      ...(await measureTransfer(lanes, ROUNDS)),
      ...(await measureWake(lanes, ROUNDS)),
      ...(await measureFreshPages(lanes, ROUNDS)),
      ...(await measureBusyThreads(lanes, { most: Math.min(lanes.count, cores), memoryUsable, rounds: ROUNDS })),
      ...(await measureStart(START_ROUNDS)),
    };
    return {
      measured: {
        at: new Date().toISOString(),
        venturi: writer,
        runtime,
        rounds: START_ROUNDS,
        clock: clock.source,
        busyShare,
        seconds: (performance.now() - began) / 1000,
      },
      ...costs,
    };
  } finally {
    clock.close();
    await lanes.close();
  }
}
