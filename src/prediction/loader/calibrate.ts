import { ownError } from './forecast.ts';
import type { LoaderProfile } from './profile.ts';

/** Share of the cores that other programs must want to be weighed. */
const MATTERS = 0.1;
/** Utilisation of the cores below which other programs had all they wanted, which was counted. */
const FULL = 0.9;
/** Relative error of the model below which nothing is adjusted. */
const NEAR = 0.03;
const STEPS = 7;
const MOST = 4;

/**
 * Weight of other programs on a busy machine. The share they take from this one depends on their priorities and time slices, which are not
 * recorded. So they are weighed such that the model predicts the recorded rate at the recorded setting, as nearly as it can. Where
 * cores were left over, others took no more than was counted.
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

/** The profile with `times` as much work of others; where cores are divided among sessions, with 1 / `times` of its own share. */
function weighed(profile: LoaderProfile, times: number): LoaderProfile {
  const { others, ownShare, cores } = profile.machine;
  const machine =
    ownShare === undefined
      ? { ...profile.machine, others: times * others }
      : { ...profile.machine, ownShare: Math.min(cores, ownShare / times) };
  return { ...profile, machine };
}
