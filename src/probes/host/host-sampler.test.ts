import { describe, expect, it } from 'vitest';
import { parseDiskStats } from './disk-stats.ts';
import { HostSampler, parseCpuBusy, parseMemoryAvailable } from './host-sampler.ts';
import { countedDevices, parseNetworkDevices } from './network-devices.ts';
import {
  DISKS_4_9,
  DISKS_6_18,
  DISKS_XEN,
  MEMINFO_3_10,
  MEMINFO_6_18,
  NETWORK_2_6,
  NETWORK_6_18,
  STAT_2_6,
  STAT_6_18,
} from './samplers.fixture.ts';

describe('parseCpuBusy', () => {
  it('counts interrupts and stolen time, neither waiting for disks nor guests twice', () => {
    expect(parseCpuBusy(STAT_6_18)).toBe((4626 + 7 + 1282 + 11 + 79 + 209) * 1e7);
  });
  it('reads a kernel that does not know stolen time', () => {
    expect(parseCpuBusy(STAT_2_6)).toBe((2255 + 34 + 2290 + 127 + 456) * 1e7);
  });
  it('does not guess', () => expect(parseCpuBusy('cpu0 1 2 3\n')).toBeUndefined());
});

describe('parseMemoryAvailable', () => {
  it('reads bytes', () => expect(parseMemoryAvailable(MEMINFO_6_18)).toBe(24356480 * 1024));
  it('does not take free memory for available memory', () =>
    expect(parseMemoryAvailable(MEMINFO_3_10)).toBeUndefined());
});

describe('parseDiskStats', () => {
  it.each([
    ['a virtual disk', DISKS_6_18, 2003570, 1451544],
    ['NVMe and an SD card', DISKS_4_9, 1010, 2020],
    ['a disk named like a partition', DISKS_XEN, 50, 60],
  ])('counts each byte once: %s', (_, text, read, written) => {
    expect(parseDiskStats(text)).toEqual({ read: read * 512, written: written * 512 });
  });
  it('knows nothing where no disk is listed', () => expect(parseDiskStats('')).toBeUndefined());
});

describe('network devices', () => {
  it('leave out the loopback', () => {
    expect(parseNetworkDevices(NETWORK_6_18)).toEqual([
      { name: 'docker0', received: 700, sent: 800 },
      { name: 'eth0', received: 267933721, sent: 900241 },
    ]);
  });
  it('are read where the number touches the colon', () => {
    expect(parseNetworkDevices(NETWORK_2_6)).toEqual([
      { name: 'eth0', received: 1215645123, sent: 1782404 },
      { name: 'ppp0', received: 1622270, sent: 354130 },
    ]);
  });
  it('count once: cards alone where there are any, else all', () => {
    const devices = parseNetworkDevices(NETWORK_6_18);
    expect(countedDevices(devices, name => name === 'eth0').map(device => device.name)).toEqual(['eth0']);
    expect(countedDevices(devices, () => false)).toBe(devices);
  });
});

describe('HostSampler', () => {
  it('counts totals from its first sample and never lets them fall', () => {
    const files: Record<string, string> = {
      '/proc/stat': 'cpu  100 0 0 5 0 0 0 0\n',
      '/proc/meminfo': MEMINFO_6_18,
      '/proc/diskstats': DISKS_6_18,
      '/proc/net/dev': NETWORK_6_18,
      '/sys/class/net/eth0/device/uevent': 'DRIVER=virtio_net\n',
    };
    const sampler = new HostSampler(path => files[path]);
    expect(sampler.sample()).toEqual({
      hostCpuBusy: 0,
      hostMemoryAvailable: 24356480 * 1024,
      hostDiskRead: 0,
      hostDiskWritten: 0,
      hostNetworkIn: 0,
      hostNetworkOut: 0,
    });
    files['/proc/stat'] = 'cpu  140 0 0 9 0 0 0 0\n';
    files['/proc/diskstats'] = DISKS_6_18.replace('vda 28668 5966 2003570', 'vda 28668 5966 2003574');
    files['/proc/net/dev'] = NETWORK_6_18.replace('267933721', '267933821').replace('     700', '   70000');
    expect(sampler.sample()).toMatchObject({
      hostCpuBusy: 40e7,
      hostDiskRead: 4 * 512,
      hostDiskWritten: 0,
      hostNetworkIn: 100,
      hostNetworkOut: 0,
    });
    files['/proc/diskstats'] = DISKS_XEN;
    expect(sampler.sample()).toMatchObject({ hostDiskRead: 4 * 512 });
  });

  it('knows the cores alone where there is no /proc', () => {
    let user = 10;
    const sampler = new HostSampler(
      () => undefined,
      () => [{ times: { user: user++, nice: 1, sys: 2, irq: 3 } }],
    );
    sampler.sample();
    expect(sampler.sample()).toEqual({
      hostCpuBusy: 1e6,
      hostMemoryAvailable: undefined,
      hostDiskRead: undefined,
      hostDiskWritten: undefined,
      hostNetworkIn: undefined,
      hostNetworkOut: undefined,
    });
    expect(
      new HostSampler(
        () => undefined,
        () => [],
      ).sample().hostCpuBusy,
    ).toBeUndefined();
  });

  it('samples the machine it runs on', () => {
    const sampler = new HostSampler();
    const first = sampler.sample();
    const second = sampler.sample();
    expect(second.hostCpuBusy).toBeGreaterThanOrEqual(first.hostCpuBusy ?? Number.NaN);
  });
});
