import os from 'node:os';
import type { Host } from '../../model/host.ts';
import { allowedCores, physicalCores } from './affinity.ts';
import { cpuQuota, memoryCap } from './cgroup.ts';
import { readText, type TextReader } from './text-reader.ts';

/** What the runtime's own calls say about the machine, before any limit. */
export type Machine = Readonly<ReturnType<typeof thisMachine>>;

function thisMachine() {
  const cpus = os.cpus();
  const parallelism = os.availableParallelism();
  return {
    platform: os.platform(),
    arch: os.arch(),
    kernel: os.release(),
    cpuModel: cpus[0]?.model.trim() || 'unknown',
    // A sandbox without /proc lists no CPU at all.
    cores: cpus.length > 0 ? cpus.length : parallelism,
    // Cores the runtime believes it may use; asked only where the affinity mask cannot be read.
    parallelism,
    memory: os.totalmem(),
    runtime: `node ${process.versions.node}`,
  };
}

/** The machine as this process may use it. Node 20's own figures know neither a CPU quota nor a memory limit. */
export function readHost(read: TextReader = readText, machine: Machine = thisMachine()): Host {
  const allowed = Math.min(allowedCores(read) ?? machine.parallelism, machine.cores);
  const physical = physicalCores(read);
  const autogroup = read('/proc/sys/kernel/sched_autogroup_enabled')?.trim();
  const quota = cpuQuota(read);
  const memory = memoryCap(read);
  const quotaBinds = quota !== undefined && quota.value < allowed;
  const memoryBinds = memory !== undefined && memory.value < machine.memory;
  return {
    platform: machine.platform,
    arch: machine.arch,
    kernel: machine.kernel,
    cpuModel: machine.cpuModel,
    coresPresent: machine.cores,
    coresUsable: quotaBinds ? quota.value : allowed,
    coresLimit: quotaBinds ? quota.source : allowed < machine.cores ? 'affinity' : 'none',
    ...(physical === undefined ? {} : { coresPhysical: physical }),
    ...(autogroup === undefined ? {} : { coresBySession: autogroup === '1' }),
    memoryPresent: machine.memory,
    memoryUsable: memoryBinds ? memory.value : machine.memory,
    memoryLimit: memoryBinds ? memory.source : 'none',
    runtime: machine.runtime,
  };
}

/** Distinguishes boots: moments on CLOCK_MONOTONIC compare only within one. */
export function bootId(
  read: TextReader = readText,
  bootedAt: () => number = () => Date.now() / 1000 - os.uptime(),
): string {
  const id = read('/proc/sys/kernel/random/boot_id')?.trim();
  if (id) return id;
  // The moment of the boot to the minute: uptime is in whole seconds on some systems and the wall clock gets corrected,
  // so two readings a moment apart may, rarely, disagree.
  return `${os.hostname()}-${Math.round(bootedAt() / 60)}`;
}
