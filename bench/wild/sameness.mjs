/** Whether a program did the same alone and recorded: only what differs between two runs alone is left out of it. */

/** Of the lines of a program, so many may differ from run to run; with more the program is no good for this. */
export const MOST_MASKED = 0.05;

/**
 * What differs between `alone` and `recorded`: undefined where nothing does, `masked` lines aside. `again` gives a second
 * run alone, and is asked only where something differs.
 */
export async function difference(alone, recorded, again) {
  const first = differing(alone, recorded);
  if (first === undefined) return undefined;
  if (alone.code !== recorded.code) return first;
  const mask = maskOf(alone, await again());
  return typeof mask === 'string' ? mask : differing(alone, recorded, mask);
}

const STREAMS = ['stdout', 'stderr'];
const linesOf = text => text.split('\n');

/** Numbers of the lines that two runs alone do not share, by stream; a reason where there are too many. */
export function maskOf(one, other) {
  if (one.code !== other.code) return `alone it ends with ${one.code} and with ${other.code}`;
  const mask = {};
  let [masked, all] = [0, 0];
  for (const stream of STREAMS) {
    const [lines, others] = [linesOf(one[stream]), linesOf(other[stream])];
    if (lines.length !== others.length) return `alone its ${stream} has ${lines.length} and ${others.length} lines`;
    mask[stream] = new Set(lines.flatMap((line, at) => (line === others[at] ? [] : [at])));
    masked += mask[stream].size;
    all += lines.length;
  }
  return masked > MOST_MASKED * all ? `alone ${masked} of its ${all} lines differ from run to run` : mask;
}

/** The first thing that differs, in words. */
export function differing(alone, recorded, mask = { stdout: new Set(), stderr: new Set() }) {
  if (alone.code !== recorded.code) return `it ends with ${recorded.code} instead of ${alone.code}`;
  for (const stream of STREAMS) {
    const [lines, others] = [linesOf(alone[stream]), linesOf(recorded[stream])];
    const at = lines.findIndex((line, index) => line !== others[index] && !mask[stream].has(index));
    if (at >= 0) return `line ${at + 1} of ${stream}: ${others[at] ?? 'nothing'} | instead of | ${lines[at]}`;
    if (lines.length < others.length)
      return `line ${lines.length + 1} of ${stream}: ${others[lines.length]} | too much`;
  }
  return undefined;
}
