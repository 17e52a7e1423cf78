import { expect, test } from 'vitest';
import { type Host, machineOf } from './host.ts';

const host: Host = {
  platform: 'linux',
  arch: 'x64',
  kernel: '6.1.0',
  cpuModel: 'one',
  coresPresent: 8,
  coresUsable: 2.5,
  coresLimit: 'cgroup-v2',
  coresPhysical: 4,
  memoryPresent: 8e9,
  memoryUsable: 4e9,
  memoryLimit: 'cgroup-v2',
  runtime: 'node 20.19.0',
};

test('the machine of one host is that host', () => {
  expect(machineOf({ host })).toBe(host);
  expect(machineOf({ host, hosts: [host] })).toBe(host);
});

test('cores and memory of several hosts add up, where all are known', () => {
  const other: Host = { ...host, cpuModel: 'other', coresUsable: 8, memoryUsable: 6e9 };
  expect(machineOf({ host, hosts: [host, other] })).toEqual({
    ...host,
    cpuModel: 'one, other',
    coresPresent: 16,
    coresUsable: 10.5,
    coresPhysical: 8,
    memoryPresent: 16e9,
    memoryUsable: 10e9,
  });
  expect(machineOf({ host, hosts: [host, { ...other, coresPhysical: undefined }] }).coresPhysical).toBeUndefined();
});
