import os from 'node:os';
import type { Metric } from '../../model/metric.ts';
import { parseDiskStats } from './disk-stats.ts';
import { Growth } from './growth.ts';
import { countedDevices, parseNetworkDevices } from './network-devices.ts';
import { readText, type TextReader } from './text-reader.ts';

type HostMetric = Extract<
  Metric,
  'hostCpuBusy' | 'hostMemoryAvailable' | 'hostDiskRead' | 'hostDiskWritten' | 'hostNetworkIn' | 'hostNetworkOut'
>;
/** Totals count from the first sample. Undefined: this system does not say. */
export type HostSample = Readonly<Record<HostMetric, number | undefined>>;

/** /proc/stat counts in hundredths of a second on every architecture, whatever the kernel's own tick. */
const TICK_NS = 1e7;

/**
 * ns in which the machine's cores were unavailable: user, nice, system, both kinds of interrupt, and steal time. Steal counts,
 * because a core that the hypervisor gave away was not free, and free cores are derived from this figure. I/O wait is idle
 * time; guest time is already part of user.
 */
export function parseCpuBusy(stat: string): number | undefined {
  const line = /^cpu +(\d.*)$/m.exec(stat)?.[1];
  if (line === undefined) return undefined;
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = line.split(' ').map(Number);
  return (user + nice + system + irq + softirq + steal) * TICK_NS;
}

/** Bytes a program could still get without swapping: `MemAvailable`, in kernels from 3.14 on. */
export function parseMemoryAvailable(meminfo: string): number | undefined {
  const kib = /^MemAvailable: +(\d+) kB$/m.exec(meminfo)?.[1];
  return kib === undefined ? undefined : Number(kib) * 1024;
}

interface CpuTimes {
  readonly times: { readonly user: number; readonly nice: number; readonly sys: number; readonly irq: number };
}

/** Where there is no /proc, the runtime knows the same in milliseconds. */
function busyOf(cpus: readonly CpuTimes[]): number | undefined {
  if (cpus.length === 0) return undefined;
  return cpus.reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0) * 1e6;
}

/** The whole machine, neighbours included. */
export class HostSampler {
  readonly #read: TextReader;
  readonly #cpus: () => readonly CpuTimes[];
  readonly #cards = new Map<string, boolean>();
  readonly #busy = new Growth();
  readonly #diskRead = new Growth();
  readonly #diskWritten = new Growth();
  readonly #received = new Growth();
  readonly #sent = new Growth();

  constructor(read: TextReader = readText, cpus: () => readonly CpuTimes[] = os.cpus) {
    this.#read = read;
    this.#cpus = cpus;
  }

  sample(): HostSample {
    const stat = this.#read('/proc/stat');
    const disks = parseDiskStats(this.#read('/proc/diskstats') ?? '');
    const network = this.#network();
    return {
      hostCpuBusy: this.#busy.of(stat === undefined ? busyOf(this.#cpus()) : parseCpuBusy(stat)),
      hostMemoryAvailable: parseMemoryAvailable(this.#read('/proc/meminfo') ?? ''),
      hostDiskRead: this.#diskRead.of(disks?.read),
      hostDiskWritten: this.#diskWritten.of(disks?.written),
      hostNetworkIn: this.#received.of(network?.received),
      hostNetworkOut: this.#sent.of(network?.sent),
    };
  }

  #network(): { received: number; sent: number } | undefined {
    const text = this.#read('/proc/net/dev');
    if (text === undefined) return undefined;
    let received = 0;
    let sent = 0;
    for (const device of countedDevices(parseNetworkDevices(text), name => this.#isCard(name))) {
      received += device.received;
      sent += device.sent;
    }
    return { received, sent };
  }

  /** A card has a device behind it in /sys; what a device is does not change, so it is asked once. */
  #isCard(name: string): boolean {
    let card = this.#cards.get(name);
    if (card === undefined) {
      card = this.#read(`/sys/class/net/${name}/device/uevent`) !== undefined;
      this.#cards.set(name, card);
    }
    return card;
  }
}
