import type { Host } from '../../model/host.ts';
import type { ThreadClock } from '../../probes/host/thread-clock.ts';
import type { Check } from './check.ts';

const GIB = 2 ** 30;
const gib = (value: number): string => `${(value / GIB).toFixed(1)} GiB`;

const LIMITS: Record<Host['coresLimit'], string> = {
  none: 'nothing limits them',
  affinity: 'limited by the CPU affinity of this process (taskset, cpuset)',
  'cgroup-v1': 'limited by a cgroup v1 quota (cpu.cfs_quota_us)',
  'cgroup-v2': 'limited by a cgroup v2 quota (cpu.max)',
};

const cores: Check = {
  id: 'cores',
  title: 'Usable cores',
  run: ({ host }) => {
    const detail = `${Number(host.coresUsable.toFixed(2))} of ${host.coresPresent}; ${LIMITS[host.coresLimit]}`;
    if (host.coresLimit === 'none') return { status: 'ok', detail };
    const how = host.coresLimit === 'affinity' ? 'Widen the affinity mask' : "Raise the container's CPU quota";
    return { status: 'limited', detail, remedy: `${how} if this process may have more.` };
  },
};

const memory: Check = {
  id: 'memory',
  title: 'Usable memory',
  run: ({ host }) =>
    host.memoryLimit === 'none'
      ? { status: 'ok', detail: `${gib(host.memoryPresent)}; nothing limits it` }
      : {
          status: 'limited',
          detail: `${gib(host.memoryUsable)} of ${gib(host.memoryPresent)}; limited by ${host.memoryLimit.replace('-', ' ')}`,
          remedy: "Raise the container's memory limit if this process may have more.",
        },
};

/** ns per reading, warm: the best of several short rounds, not all of which a busy neighbour can slow down. */
function readingCost(read: () => void): number {
  const READINGS = 500;
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 24; round++) {
    const start = performance.now();
    for (let i = 0; i < READINGS; i++) read();
    best = Math.min(best, ((performance.now() - start) * 1e6) / READINGS);
  }
  return Math.round(best);
}

const CLOCKS: Record<ThreadClock['source'], string> = {
  schedstat: 'CPU and run-queue time from /proc/thread-self/schedstat',
  threadCpuUsage: 'CPU time from process.threadCpuUsage; time queued for a core is not known',
  wall: 'no CPU time per thread: wall time less known waits stands in for it',
};

const threadClock: Check = {
  id: 'thread-clock',
  title: 'CPU time per thread',
  run: ({ openClock }) => {
    const clock = openClock();
    const cost = readingCost(() => clock.read());
    clock.close();
    const precision = clock.exact
      ? 'exact'
      : clock.source === 'wall'
        ? 'an estimate'
        : "as coarse as the scheduler's tick";
    const detail = `${CLOCKS[clock.source]}; ${precision}, ${cost} ns a reading`;
    if (clock.source === 'schedstat' && clock.exact) return { status: 'ok', detail };
    const remedy = 'Run on Linux with /proc mounted and a kernel that has CONFIG_SCHED_INFO.';
    return { status: clock.source === 'wall' ? 'missing' : 'limited', detail, remedy };
  },
};

const threadStorage: Check = {
  id: 'thread-storage',
  title: 'Storage counters per thread',
  run: ({ openStorage }) => {
    const storage = openStorage();
    if (storage === undefined) {
      return {
        status: 'missing',
        detail: '/proc/thread-self/io cannot be read',
        remedy: 'Run on Linux with a kernel that has CONFIG_TASK_IO_ACCOUNTING; some containers hide the file.',
      };
    }
    const cost = readingCost(() => storage.read());
    storage.close();
    return { status: 'ok', detail: `bytes asked, fetched and written from /proc/thread-self/io; ${cost} ns a reading` };
  },
};

const temporarySpace: Check = {
  id: 'temporary-space',
  title: 'Space for temporary files',
  run: async ({ temporary, freeSpace }) => {
    const free = await freeSpace(temporary);
    const detail = `${gib(free)} free in ${temporary}`;
    if (free >= GIB) return { status: 'ok', detail };
    return { status: 'limited', detail, remedy: 'Free some space, or set TMPDIR to a folder with more.' };
  },
};

/** What the machine and its kernel give. */
export const MACHINE_CHECKS: readonly Check[] = [cores, memory, threadClock, threadStorage, temporarySpace];
