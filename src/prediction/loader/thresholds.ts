/**
 * Share of a whole (cores, time, CPU, work) below which a part of it counts as none, and above 1 less which it counts as all. Judged: the
 * verdict on a loader calls waiting clear from the same share on, and measured rates of one setting differ by about as much.
 */
export const SLIGHT = 0.1;
