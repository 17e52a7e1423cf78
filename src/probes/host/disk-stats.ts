/** Bytes moved by the machine's disks since boot. */
export interface DiskTraffic {
  readonly read: number;
  readonly written: number;
}

/** The kernel counts sectors of 512 bytes here, whatever the disk's own. */
const SECTOR = 512;

/**
 * Devices that are no disk of their own: memory (ram, zram), files (loop), and layers over disks that are listed too
 * (device mapper, software RAID, bcache, the single paths of a multipath NVMe). Counting them would count twice.
 */
const NO_DISK = /^(loop|ram|zram|dm-|md|bcache|nvme\d+c\d+n)/;

/** `sda1` belongs to `sda`, `nvme0n1p2` to `nvme0n1`; `xvda1` is a disk where no `xvda` is listed. */
function isPartition(name: string, names: ReadonlySet<string>): boolean {
  const bare = /^(.*\D)\d+$/.exec(name)?.[1];
  if (bare === undefined) return false;
  return names.has(bare) || (/\dp$/.test(bare) && names.has(bare.slice(0, -1)));
}

/** The text of `/proc/diskstats`. */
export function parseDiskStats(text: string): DiskTraffic | undefined {
  // major minor name · reads, merged, sectors, ms · writes, merged, sectors, ms · … Newer kernels add columns behind.
  const rows = text.split('\n').map(line => line.trim().split(/\s+/));
  const disks = rows.filter(row => row.length >= 14 && !NO_DISK.test(row[2] ?? ''));
  const names = new Set(disks.map(row => row[2] ?? ''));
  let read = 0;
  let written = 0;
  let found = false;
  for (const row of disks) {
    if (isPartition(row[2] ?? '', names)) continue;
    found = true;
    read += Number(row[5]) * SECTOR;
    written += Number(row[9]) * SECTOR;
  }
  return found ? { read, written } : undefined;
}
