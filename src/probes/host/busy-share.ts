import { type CpuInfo, cpus } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';

/** Share of the machine's CPU time that was used, by whomever, during this many milliseconds. */
export async function busyShare(ms: number, look: () => readonly Pick<CpuInfo, 'times'>[] = cpus): Promise<number> {
  const before = cpuTimes(look());
  await pause(ms);
  const after = cpuTimes(look());
  const passed = after.all - before.all;
  return passed > 0 ? 1 - (after.idle - before.idle) / passed : 0;
}

function cpuTimes(cores: readonly Pick<CpuInfo, 'times'>[]): { readonly all: number; readonly idle: number } {
  let [all, idle] = [0, 0];
  for (const { times } of cores) {
    all += times.user + times.nice + times.sys + times.irq + times.idle;
    idle += times.idle;
  }
  return { all, idle };
}
