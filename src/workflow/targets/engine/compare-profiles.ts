import type { ComparedProfiles, ComparedShare } from '../../../report/results/comparison.ts';
import type { Profile } from '../../../report/results/profile.ts';
import { isProfiled } from '../../../store/profile-reader.ts';
import { profileRun } from '../../profile.ts';

/** Profiles of runs side by side; undefined where fewer than two of them have one. */
export async function comparedProfiles(folders: readonly string[]): Promise<ComparedProfiles | undefined> {
  const profiles: (Profile | undefined)[] = [];
  for (const folder of folders) profiles.push(isProfiled(folder) ? await profileRun(folder) : undefined);
  if (profiles.filter(profile => profile !== undefined).length < 2) return undefined;
  const labels = new Map(profiles.flatMap(each => each?.operators.map(({ id, label }) => [id, label] as const) ?? []));
  return {
    operators: [...labels].map(([id, label]) => comparedShare(id, label, profiles)),
    activity: profiles.map(profile => profile?.activity),
  };
}

function comparedShare(id: string, label: string, profiles: readonly (Profile | undefined)[]): ComparedShare {
  const shares = profiles.map(profile => {
    const found = profile?.operators.find(each => each.id === id);
    return found === undefined ? undefined : { share: found.share, band: found.band, nsPerRow: found.nsPerRow };
  });
  const bands = shares.flatMap(each => each?.band ?? []);
  const [first, last] = [bands[0], bands.at(-1)];
  const withinNoise = first === undefined || last === undefined || (first.low <= last.high && last.low <= first.high);
  return { id, label, shares, withinNoise };
}
