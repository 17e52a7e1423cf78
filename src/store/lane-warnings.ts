/** Names listed before the rest are only counted. */
const MOST_NAMES = 4;

const FORM = /^Lane (.+?): (.*)$/s;

export const laneWarning = (lane: string, what: string): string => `Lane ${lane}: ${what}`;

/** Lanes share a disk and its fate: warnings that differ in nothing but the lane become one. */
export function mergeLaneWarnings(warnings: readonly string[]): string[] {
  const lanes = new Map<string, string[]>();
  for (const warning of warnings) {
    const [, lane, what = warning] = FORM.exec(warning) ?? [];
    const names = lanes.get(what) ?? [];
    if (lane !== undefined && !names.includes(lane)) names.push(lane);
    lanes.set(what, names);
  }
  return [...lanes].map(([what, names]) => {
    const [only] = names;
    if (only === undefined) return what;
    if (names.length === 1) return laneWarning(only, what);
    const more = names.length - MOST_NAMES;
    return `Lanes ${names.slice(0, MOST_NAMES).join(', ')}${more > 0 ? ` and ${more} more` : ''}: ${what}`;
  });
}
