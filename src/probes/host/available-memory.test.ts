import { describe, expect, it } from 'vitest';
import { availableMemory } from './available-memory.ts';

const GIB = 2 ** 30;
const MEMINFO = { '/proc/meminfo': `MemTotal: ${64 * 2 ** 20} kB\nMemAvailable: ${48 * 2 ** 20} kB\n` };
const V1_MOUNT = '36 25 0:31 / /sys/fs/cgroup/memory rw shared:18 - cgroup cgroup rw,memory\n';
const V2_MOUNT = '30 23 0:26 / /sys/fs/cgroup rw,nosuid,nodev shared:4 - cgroup2 cgroup2 rw,nsdelegate\n';

const available = (tree: Readonly<Record<string, string>>): number =>
  availableMemory(
    path => tree[path],
    () => 7 * GIB,
  );

describe('memory that is available', () => {
  it('is that of the machine where no group limits it', () => {
    expect(available(MEMINFO)).toBe(48 * GIB);
    const unlimited = {
      '/proc/self/cgroup': '0::/\n',
      '/proc/self/mountinfo': V2_MOUNT,
      '/sys/fs/cgroup/memory.max': 'max\n',
      '/sys/fs/cgroup/memory.current': `${GIB}\n`,
    };
    expect(available({ ...MEMINFO, ...unlimited })).toBe(48 * GIB);
  });

  it('is what the system calls free where it does not say more', () => expect(available({})).toBe(7 * GIB));

  it('is what the group has left, the page cache included', () => {
    const tree = {
      ...MEMINFO,
      '/proc/self/cgroup': '0::/\n',
      '/proc/self/mountinfo': V2_MOUNT,
      '/sys/fs/cgroup/memory.max': `${8 * GIB}\n`,
      '/sys/fs/cgroup/memory.current': `${8 * GIB}\n`,
      '/sys/fs/cgroup/memory.stat': `anon ${3 * GIB}\nfile ${5 * GIB}\nshmem ${GIB}\ninactive_file ${3 * GIB}\nactive_file ${GIB}\n`,
    };
    expect(available(tree)).toBe(4 * GIB);
  });

  it('is what the tightest group above has left', () => {
    const tree = {
      ...MEMINFO,
      '/proc/self/cgroup': '0::/slurm/job_7/step_0\n',
      '/proc/self/mountinfo': V2_MOUNT,
      '/sys/fs/cgroup/slurm/job_7/step_0/memory.max': 'max\n',
      '/sys/fs/cgroup/slurm/job_7/step_0/memory.current': `${GIB}\n`,
      '/sys/fs/cgroup/slurm/job_7/memory.max': `${6 * GIB}\n`,
      '/sys/fs/cgroup/slurm/job_7/memory.current': `${2 * GIB}\n`,
    };
    expect(available(tree)).toBe(4 * GIB);
  });

  it('is nearly none where the group is full', () => {
    const tree = {
      ...MEMINFO,
      '/proc/self/cgroup': '0::/\n',
      '/proc/self/mountinfo': V2_MOUNT,
      '/sys/fs/cgroup/memory.max': `${GIB}\n`,
      '/sys/fs/cgroup/memory.current': `${GIB + 4096}\n`,
    };
    expect(available(tree)).toBe(1);
  });

  it('follows the limits of v1, whose statistics count groups below apart', () => {
    const tree = {
      ...MEMINFO,
      '/proc/self/cgroup': '9:memory:/slurm/job_7\n',
      '/proc/self/mountinfo': V1_MOUNT,
      '/sys/fs/cgroup/memory/slurm/job_7/memory.limit_in_bytes': `${6 * GIB}\n`,
      '/sys/fs/cgroup/memory/slurm/job_7/memory.usage_in_bytes': `${5 * GIB}\n`,
      '/sys/fs/cgroup/memory/slurm/job_7/memory.stat': `active_file 4096\ninactive_file 0\ntotal_inactive_file ${GIB}\ntotal_active_file ${GIB}\n`,
      '/sys/fs/cgroup/memory/memory.limit_in_bytes': '9223372036854771712\n',
      '/sys/fs/cgroup/memory/memory.usage_in_bytes': `${40 * GIB}\n`,
    };
    expect(available(tree)).toBe(3 * GIB);
  });
});
