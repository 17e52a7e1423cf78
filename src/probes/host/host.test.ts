import { describe, expect, it } from 'vitest';
import { HostSchema } from '../../model/host.ts';
import { parseCpuList } from './affinity.ts';
import { bootId, type Machine, readHost } from './host.ts';

const GIB = 2 ** 30;
const machine: Machine = {
  platform: 'linux',
  arch: 'x64',
  kernel: '6.1.0',
  cpuModel: 'Test CPU',
  cores: 16,
  parallelism: 16,
  memory: 64 * GIB,
  runtime: 'node 20.19.0',
};

type Tree = Readonly<Record<string, string>>;
const host = (tree: Tree, over: Partial<Machine> = {}) => readHost(path => tree[path], { ...machine, ...over });

const V2_MOUNT = '30 23 0:26 / /sys/fs/cgroup rw,nosuid,nodev shared:4 - cgroup2 cgroup2 rw,nsdelegate\n';
const status = (list: string): Tree => ({
  '/proc/self/status': `Name:\tnode\nCpus_allowed_list:\t${list}\nMems_allowed_list:\t0\n`,
});

describe('parseCpuList', () => {
  it.each([
    ['0-3,8,10-11', [0, 1, 2, 3, 8, 10, 11]],
    ['5\n', [5]],
    ['', []],
  ])('reads %j', (list, cpus) => expect([...parseCpuList(list)]).toEqual(cpus));
});

describe('cores', () => {
  it('are those of the machine where nothing limits them', () => {
    expect(host(status('0-15'))).toMatchObject({ coresPresent: 16, coresUsable: 16, coresLimit: 'none' });
  });

  it('follow the affinity mask', () => {
    expect(host(status('0-3,8,10-11'))).toMatchObject({ coresUsable: 7, coresLimit: 'affinity' });
  });

  it('leave out CPUs that could be plugged in but are not', () => {
    const tree = { ...status('0-239'), '/sys/devices/system/cpu/online': '0-7\n' };
    expect(host(tree, { cores: 8 })).toMatchObject({ coresUsable: 8, coresLimit: 'none' });
    expect(host(status('0-239'), { cores: 8 })).toMatchObject({ coresUsable: 8, coresLimit: 'none' });
  });

  it('follow a v2 quota set on a parent', () => {
    const tree = {
      '/proc/self/cgroup': '0::/user.slice/build.scope/job\n',
      '/proc/self/mountinfo': V2_MOUNT,
      '/sys/fs/cgroup/user.slice/build.scope/job/cpu.max': 'max 100000\n',
      '/sys/fs/cgroup/user.slice/build.scope/cpu.max': '150000 100000\n',
      '/sys/fs/cgroup/user.slice/cpu.max': '400000 100000\n',
    };
    expect(host(tree)).toMatchObject({ coresUsable: 1.5, coresLimit: 'cgroup-v2' });
  });

  it('follow a v2 quota in a container with its own namespace', () => {
    const tree = {
      '/proc/self/cgroup': '0::/\n',
      '/proc/self/mountinfo': V2_MOUNT,
      '/sys/fs/cgroup/cpu.max': '200000 100000\n',
    };
    expect(host(tree)).toMatchObject({ coresUsable: 2, coresLimit: 'cgroup-v2' });
  });

  it("follow a v2 quota in a container that shows the host's path", () => {
    const tree = {
      '/proc/self/cgroup': '0::/system.slice/docker-4f.scope\n',
      '/proc/self/mountinfo': V2_MOUNT.replace(' / /sys', ' /system.slice/docker-4f.scope /sys'),
      '/sys/fs/cgroup/cpu.max': '50000 100000\n',
    };
    expect(host(tree)).toMatchObject({ coresUsable: 0.5, coresLimit: 'cgroup-v2' });
  });

  it('follow the mount point where the path leads out of the namespace', () => {
    const tree = {
      '/proc/self/cgroup': '0::/../other\n',
      '/proc/self/mountinfo': V2_MOUNT,
      '/sys/fs/cgroup/cpu.max': '300000 100000\n',
    };
    expect(host(tree).coresUsable).toBe(3);
  });

  it('follow a v1 quota, wherever the controller is mounted', () => {
    const tree = {
      '/proc/self/cgroup': '4:memory:/docker/4f\n3:cpu,cpuacct:/docker/4f\n',
      '/proc/self/mountinfo':
        '33 31 0:30 /docker/4f /mnt/my\\040groups/cpu ro,relatime master:12 - cgroup cgroup rw,cpu,cpuacct\n',
      '/mnt/my groups/cpu/cpu.cfs_quota_us': '250000\n',
      '/mnt/my groups/cpu/cpu.cfs_period_us': '100000\n',
    };
    expect(host(tree)).toMatchObject({ coresUsable: 2.5, coresLimit: 'cgroup-v1' });
  });

  it('take the tightest of affinity and quota', () => {
    const quota = (cpuMax: string) => ({
      ...status('0-3'),
      '/proc/self/cgroup': '0::/\n',
      '/proc/self/mountinfo': V2_MOUNT,
      '/sys/fs/cgroup/cpu.max': cpuMax,
    });
    expect(host(quota('800000 100000'))).toMatchObject({ coresUsable: 4, coresLimit: 'affinity' });
    expect(host(quota('300000 100000'))).toMatchObject({ coresUsable: 3, coresLimit: 'cgroup-v2' });
  });

  it('are not limited by a quota beyond the machine', () => {
    const tree = {
      '/proc/self/cgroup': '0::/\n',
      '/proc/self/mountinfo': V2_MOUNT,
      '/sys/fs/cgroup/cpu.max': '6400000 100000\n',
    };
    expect(host(tree)).toMatchObject({ coresUsable: 16, coresLimit: 'none' });
  });
});

describe('memory', () => {
  it('takes "max" in v2 as no limit and the tightest ancestor as the limit', () => {
    const tree = {
      '/proc/self/cgroup': '0::/a/b\n',
      '/proc/self/mountinfo': V2_MOUNT,
      '/sys/fs/cgroup/a/b/memory.max': 'max\n',
      '/sys/fs/cgroup/a/memory.max': `${8 * GIB}\n`,
    };
    expect(host(tree)).toMatchObject({ memoryUsable: 8 * GIB, memoryLimit: 'cgroup-v2' });
  });

  const hybrid = (limit: string): Tree => ({
    '/proc/self/cgroup': '4:memory:/jobs/7\n1:cpu:/\n0::/\n',
    '/proc/self/mountinfo': [
      '31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755',
      '32 31 0:29 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu',
      '35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory',
      '41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw',
    ].join('\n'),
    '/sys/fs/cgroup/cpu/cpu.cfs_quota_us': '-1\n',
    '/sys/fs/cgroup/cpu/cpu.cfs_period_us': '100000\n',
    '/sys/fs/cgroup/memory/jobs/7/memory.limit_in_bytes': limit,
    '/sys/fs/cgroup/memory/memory.limit_in_bytes': '9223372036854771712\n',
  });

  it('follows v1 on a machine with both interfaces, whose v1 quota of −1 is none', () => {
    expect(host(hybrid(`${2 * GIB}\n`))).toMatchObject({
      coresUsable: 16,
      coresLimit: 'none',
      memoryUsable: 2 * GIB,
      memoryLimit: 'cgroup-v1',
    });
  });

  it('takes the huge number of v1 as no limit', () => {
    expect(host(hybrid('9223372036854771712\n'))).toMatchObject({ memoryUsable: 64 * GIB, memoryLimit: 'none' });
  });
});

describe('a system without /proc', () => {
  it('is described by what the runtime knows', () => {
    expect(host({}, { platform: 'darwin', parallelism: 16 })).toEqual({
      platform: 'darwin',
      arch: 'x64',
      kernel: '6.1.0',
      cpuModel: 'Test CPU',
      coresPresent: 16,
      coresUsable: 16,
      coresLimit: 'none',
      memoryPresent: 64 * GIB,
      memoryUsable: 64 * GIB,
      memoryLimit: 'none',
      runtime: 'node 20.19.0',
    });
    expect(host({}, { parallelism: 4 })).toMatchObject({ coresUsable: 4, coresLimit: 'affinity' });
  });

  it('has a boot id all the same, which another boot does not share', () => {
    const none = () => undefined;
    expect(bootId(none, () => 60_000)).toBe(bootId(none, () => 60_001));
    expect(bootId(none, () => 60_000)).not.toBe(bootId(none, () => 90_000));
  });
});

it('describes the machine it runs on', () => {
  const here = HostSchema.parse(readHost());
  expect(here.coresUsable).toBeLessThanOrEqual(here.coresPresent);
  expect(here.memoryUsable).toBeLessThanOrEqual(here.memoryPresent);
  expect(bootId()).toBe(bootId());
});
