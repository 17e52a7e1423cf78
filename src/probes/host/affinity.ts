import type { TextReader } from './text-reader.ts';

/** The CPUs in a kernel list such as `0-3,8,10-11`. */
export function parseCpuList(list: string): Set<number> {
  const cpus = new Set<number>();
  for (const part of list.trim().split(',')) {
    const range = /^(\d+)(?:-(\d+))?$/.exec(part.trim());
    if (range === null) continue;
    const first = Number(range[1]);
    const last = Number(range[2] ?? range[1]);
    for (let cpu = first; cpu <= last; cpu++) cpus.add(cpu);
  }
  return cpus;
}

/**
 * How many cores the scheduler may put this process on: its affinity mask, which also holds a cpuset's limit.
 * Virtual machines list every CPU that could ever be plugged in, so only those that are online count.
 */
export function allowedCores(read: TextReader): number | undefined {
  return allowedCpus(read)?.size;
}

/** Physical cores among them: with two hardware threads per core, the kernel lists twice as many CPUs. */
export function physicalCores(read: TextReader): number | undefined {
  const siblings = [...(allowedCpus(read) ?? [])].map(cpu =>
    read(`/sys/devices/system/cpu/cpu${cpu}/topology/thread_siblings_list`)?.trim(),
  );
  if (siblings.length === 0 || siblings.includes(undefined)) return undefined;
  return new Set(siblings).size;
}

function allowedCpus(read: TextReader): Set<number> | undefined {
  const list = /^Cpus_allowed_list:(.*)$/m.exec(read('/proc/self/status') ?? '')?.[1];
  if (list === undefined) return undefined;
  const allowed = parseCpuList(list);
  const online = parseCpuList(read('/sys/devices/system/cpu/online') ?? '');
  const usable = online.size === 0 ? allowed : new Set([...allowed].filter(cpu => online.has(cpu)));
  return usable.size > 0 ? usable : undefined;
}
