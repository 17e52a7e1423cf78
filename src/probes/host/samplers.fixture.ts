/**
 * Text in the layouts of several kernels. The 6.18 ones are captured and then edited (partitions, a mapped volume, a
 * bridge and guest time added); the older ones are written by hand after the documented formats.
 */
export const STAT_2_6 =
  'cpu  2255 34 2290 22625563 6290 127 456\ncpu0 1132 34 1441 11311718 3675 127 438\nintr 114930548\n';
export const STAT_6_18 =
  'cpu  4626 7 1282 196280 273 11 79 209 500 3\ncpu0 2007 0 687 98435 128 0 29 123 0 0\nintr 278607 0 0\nctxt 543408\n';

export const MEMINFO_6_18 =
  'MemTotal:       24682740 kB\nMemFree:        24384956 kB\nMemAvailable:   24356480 kB\nBuffers:            1996 kB\n';
export const MEMINFO_3_10 = 'MemTotal:        1882064 kB\nMemFree:          158136 kB\nBuffers:            2072 kB\n';

/** Kernel 6.18: 20 columns, a disk with partitions beside loops, compressed memory and a mapped volume. */
export const DISKS_6_18 = `   7       0 loop0 9 0 900 0 0 0 0 0 0 0 0 0 0 0 0 0 0
 254       0 vda 28668 5966 2003570 6494 6410 19453 1451544 3897 0 3664 10499 3277 45 145616 102 238 5
 254       1 vda1 28000 5966 2003000 6494 6410 19453 1451000 3897 0 3664 10499 3277 45 145616 102 0 0
 253       0 zram0 70 0 7000 0 70 0 7000 0 0 0 0 0 0 0 0 0 0
 252       0 dm-0 28668 0 2003570 6494 6410 0 1451544 3897 0 3664 10499 0 0 0 0 0 0
`;
/** Kernel 4.9: 14 columns, NVMe and an SD card, whose partitions have a p. */
export const DISKS_4_9 = ` 259       0 nvme0n1 10 0 1000 5 20 0 2000 5 0 5 10
 259       1 nvme0n1p1 4 0 400 5 8 0 800 5 0 5 10
 259       2 nvme0n1p12 6 0 600 5 12 0 1200 5 0 5 10
 179       0 mmcblk0 1 0 10 5 2 0 20 5 0 5 10
 179       1 mmcblk0p1 1 0 10 5 2 0 20 5 0 5 10
   1       0 ram0 0 0 5000 0 0 0 5000 0 0 0 0
   9     127 md127 10 0 1000 0 20 0 2000 0 0 0 0
`;
/** A Xen guest whose only disk is called as a partition would be. */
export const DISKS_XEN = ' 202       1 xvda1 5 0 50 5 6 0 60 5 0 5 10\n';

export const NETWORK_6_18 = `Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
    lo:    3193      29    0    0    0     0          0         0     3193      29    0    0    0     0       0          0
docker0:     700       9    0    0    0     0          0         0      800       9    0    0    0     0       0          0
  eth0: 267933721   11369    0    0    0     0          0         0   900241    9311    0    0    0     0       0          0
`;
/** Kernel 2.6: a long number leaves no room behind the colon. */
export const NETWORK_2_6 = `Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
    lo: 2776770   11307    0    0    0     0          0         0  2776770   11307    0    0    0     0       0          0
  eth0:1215645123    2751    0    0    0     0          0         0  1782404    4324    0    0    0   427       0          0
  ppp0:1622270    5552    1    0    0     0          0         0   354130    5669    0    0    0     0       0          0
`;
