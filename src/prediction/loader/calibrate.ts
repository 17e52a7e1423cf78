import { ownError } from './forecast.ts';
import type { LoaderProfile } from './profile.ts';

/** Other programs that want less than this part of the cores are left as they were counted. */
const MATTERS = 0.1;
/** Cores of which less than this part was in use left others all that they wanted, which was counted. */
const FULL = 0.9;
/** Off by less than this, there is nothing to adjust. */
const NEAR = 0.03;
const STEPS = 7;
const MOST = 4;

/**
 * On a machine that is busy with other programs, how much they take from this one depends on their priorities and on how
 * long they run at a time, of which a recording knows nothing. So they are weighed by what it does know: with them, the model
 * gives the recorded rate at the recorded setting, as near as it can. Where cores were left over, others took no more than was counted.
 */
export function calibrated(profile: LoaderProfile): LoaderProfile {
  const { machine, busy } = profile;
  if (busy < FULL * machine.cores) return profile;
  if (machine.others < MATTERS * machine.cores || Math.abs(Math.log(ownError(profile))) < NEAR) return profile;
  let [low, high] = [0, MOST];
  // More of others' work makes the model slower.
  for (let step = 0; step < STEPS; step++) {
    const middle = (low + high) / 2;
    if (ownError(weighed(profile, middle)) > 1) high = middle;
    else low = middle;
  }
  return weighed(profile, (low + high) / 2);
}

/** With so many times others' work; where cores are divided among sessions, with so much less of them. */
function weighed(profile: LoaderProfile, times: number): LoaderProfile {
  const { others, ownShare, cores } = profile.machine;
  const machine =
    ownShare === undefined
      ? { ...profile.machine, others: times * others }
      : { ...profile.machine, ownShare: Math.min(cores, ownShare / times) };
  return { ...profile, machine };
}
