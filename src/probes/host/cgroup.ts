import type { TextReader } from './text-reader.ts';

/** A limit that a control group sets, and the interface it was read from. */
export interface CgroupLimit {
  readonly value: number;
  readonly source: 'cgroup-v1' | 'cgroup-v2';
}

interface CgroupMount {
  readonly source: CgroupLimit['source'];
  /** The group that shows at the mount point: not `/` in a container that shares the host's cgroup namespace. */
  readonly root: string;
  readonly point: string;
  /** Empty for v2, where one hierarchy holds every controller. */
  readonly controllers: readonly string[];
}

/** Spaces and the like stand as octal escapes in mountinfo. */
const unescapePath = (path: string): string =>
  path.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));

function parseCgroupMounts(mountinfo: string): CgroupMount[] {
  const mounts: CgroupMount[] = [];
  for (const line of mountinfo.split('\n')) {
    // "31 23 0:28 /root /point rw,relatime shared:9 - cgroup2 cgroup2 rw": optional fields end at the lone dash.
    const [left = '', right = ''] = line.split(' - ', 2);
    const [, , , root, point] = left.split(' ');
    const [type, , options = ''] = right.split(' ');
    if (root === undefined || point === undefined || (type !== 'cgroup' && type !== 'cgroup2')) continue;
    mounts.push({
      source: type === 'cgroup2' ? 'cgroup-v2' : 'cgroup-v1',
      root: unescapePath(root),
      point: unescapePath(point),
      controllers: type === 'cgroup2' ? [] : options.split(','),
    });
  }
  return mounts;
}

/** The group this process is in, by v1 controller name; v2 stands under the empty name. */
function parseMembership(cgroup: string): Map<string, string> {
  const groups = new Map<string, string>();
  for (const line of cgroup.split('\n')) {
    const fields = /^\d+:([^:]*):(\/.*)$/.exec(line);
    if (fields === null) continue;
    for (const controller of (fields[1] ?? '').split(',')) groups.set(controller, fields[2] ?? '/');
  }
  return groups;
}

const segmentsOf = (path: string): string[] => path.split('/').filter(segment => segment !== '');

/** Segments of `path` below `root`; undefined where it does not lie there. */
function below(path: string, root: string): string[] | undefined {
  const segments = segmentsOf(path);
  const prefix = segmentsOf(root);
  const inside = prefix.every((segment, i) => segment === segments[i]);
  return inside && !segments.includes('..') ? segments.slice(prefix.length) : undefined;
}

/** Folders to ask, from this process's own group up to the mount point. Every ancestor's limit binds as well. */
function foldersOf(mounts: readonly CgroupMount[], path: string): string[] {
  for (const mount of mounts) {
    const segments = below(path, mount.root);
    if (segments === undefined) continue;
    return Array.from({ length: segments.length + 1 }, (_, up) =>
      [mount.point.replace(/\/$/, ''), ...segments.slice(0, segments.length - up)].join('/'),
    );
  }
  // A namespace hides where the process really is: what shows at the mount point is the container's own group.
  return mounts.slice(0, 1).map(mount => mount.point);
}

/** Both interfaces are asked: a hybrid machine keeps some controllers on v1 and the rest on v2. */
function tightest(
  read: TextReader,
  controller: string,
  limitAt: (folder: string, source: CgroupLimit['source']) => number | undefined,
): CgroupLimit | undefined {
  const mounts = parseCgroupMounts(read('/proc/self/mountinfo') ?? '');
  const membership = parseMembership(read('/proc/self/cgroup') ?? '');
  let limit: CgroupLimit | undefined;
  for (const source of ['cgroup-v2', 'cgroup-v1'] as const) {
    const name = source === 'cgroup-v2' ? '' : controller;
    const candidates = mounts.filter(
      mount => mount.source === source && (name === '' || mount.controllers.includes(name)),
    );
    for (const folder of foldersOf(candidates, membership.get(name) ?? '/')) {
      const value = limitAt(folder, source);
      if (value !== undefined && value > 0 && (limit === undefined || value < limit.value)) limit = { value, source };
    }
  }
  return limit;
}

const numberIn = (text: string | undefined): number | undefined =>
  text !== undefined && /^-?\d+\s*$/.test(text) ? Number(text) : undefined;

/** CPU time per wall time that the tightest group on the way to the root allows; possibly a fraction of a core. */
export const cpuQuota = (read: TextReader): CgroupLimit | undefined =>
  tightest(read, 'cpu', (folder, source) => {
    if (source === 'cgroup-v2') {
      const quota = /^(\d+) (\d+)/.exec(read(`${folder}/cpu.max`) ?? '');
      return quota === null ? undefined : Number(quota[1]) / Number(quota[2]);
    }
    const quota = numberIn(read(`${folder}/cpu.cfs_quota_us`));
    const period = numberIn(read(`${folder}/cpu.cfs_period_us`));
    // −1 means no limit.
    return quota === undefined || period === undefined || quota <= 0 ? undefined : quota / period;
  });

/** Bytes the tightest group allows. v1 says "no limit" with a number near 2^63: the caller compares with what is there. */
export const memoryCap = (read: TextReader): CgroupLimit | undefined =>
  tightest(read, 'memory', (folder, source) =>
    numberIn(read(`${folder}/${source === 'cgroup-v2' ? 'memory.max' : 'memory.limit_in_bytes'}`)),
  );

/** Page cache that goes where memory is wanted, as `memory.stat` has it; v1 counts groups below only in the `total` ones. */
const CACHED_FILES = /^(?:total_)?(?:in)?active_file (\d+)$/gm;

/**
 * Bytes that may still be taken before the tightest group is full, without its page cache: that of a group which has read its data once
 * takes all that is left of its limit.
 */
export const memoryLeft = (read: TextReader): CgroupLimit | undefined =>
  tightest(read, 'memory', (folder, source) => {
    const [most, used] = source === 'cgroup-v2' ? ['max', 'current'] : ['limit_in_bytes', 'usage_in_bytes'];
    const limit = numberIn(read(`${folder}/memory.${most}`));
    const taken = numberIn(read(`${folder}/memory.${used}`));
    if (limit === undefined || taken === undefined) return undefined;
    return Math.max(1, limit - taken + cachedFiles(read(`${folder}/memory.stat`) ?? ''));
  });

function cachedFiles(stat: string): number {
  const inGroup = [...stat.matchAll(CACHED_FILES)];
  const withGroupsBelow = inGroup.filter(([line]) => line.startsWith('total_'));
  const counted = withGroupsBelow.length > 0 ? withGroupsBelow : inGroup;
  return counted.reduce((sum, [, bytes]) => sum + Number(bytes), 0);
}
