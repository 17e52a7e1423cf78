import { ownError } from './forecast.ts';
import type { LoaderProfile } from './profile.ts';
import { SLIGHT } from './thresholds.ts';

/** Number of bisections of others' part: to 1 in 128, which is less than the noise of a simulated rate. */
const BISECTIONS = 7;

/**
 * Weight of other programs on a busy machine. The share they take from this one depends on their priorities and time slices, which are not
 * recorded. So they are weighed such that the model predicts the recorded rate at the recorded setting, as nearly as it can. Where
 * cores were left over, others took no more than was counted.
 */
export function calibrated(profile: LoaderProfile): LoaderProfile {
  const { machine, busy } = profile;
  if (busy < (1 - SLIGHT) * machine.cores || machine.others < SLIGHT * machine.cores) return profile;
  // A simulated rate is no smooth function of others' work: the nearest of all that are tried counts, what was counted among them.
  let nearest = { profile, error: ownError(profile) };
  const isNearer = (error: number): boolean => Math.abs(Math.log(error)) < Math.abs(Math.log(nearest.error));
  // Others' weight / (others' weight + 1): any weight lies between 0 and 1, and what was counted in the middle.
  let [low, high] = [0, 1];
  for (let step = 0; step < BISECTIONS; step++) {
    const part = (low + high) / 2;
    const tried = weighed(profile, part / (1 - part));
    const error = ownError(tried);
    if (isNearer(error)) nearest = { profile: tried, error };
    // More of others' work makes the model slower.
    if (error > 1) high = part;
    else low = part;
  }
  return nearest.profile;
}

/** The profile with `times` as much work of others; where cores are divided among sessions, with 1 / `times` of its own share. */
function weighed(profile: LoaderProfile, times: number): LoaderProfile {
  const { others, ownShare, cores } = profile.machine;
  const machine =
    ownShare === undefined
      ? { ...profile.machine, others: times * others }
      : { ...profile.machine, ownShare: Math.min(cores, ownShare / times) };
  return { ...profile, machine };
}
