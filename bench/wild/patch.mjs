/** Carries out the edit that a diagnosis prints, as its reader would. */

/** The text with one hunk of a unified diff applied where its header says; throws where the lines are not there. */
export function patched(source, diff) {
  const [header, ...hunk] = diff;
  const place = /^@@ -(\d+)(?:,\d+)? \+\d+(?:,\d+)? @@/.exec(header ?? '');
  if (place === null) throw new Error(`no header of a hunk: ${header}`);
  const from = Number(place[1]) - 1;
  const before = hunk.filter(line => !line.startsWith('+')).map(line => line.slice(1));
  const after = hunk.filter(line => !line.startsWith('-')).map(line => line.slice(1));
  const lines = source.split('\n');
  const there = lines.slice(from, from + before.length);
  const off = before.findIndex((line, at) => line !== there[at]);
  if (off >= 0) throw new Error(`line ${from + off + 1} is ${there[off]}, not ${before[off]}`);
  return [...lines.slice(0, from), ...after, ...lines.slice(from + before.length)].join('\n');
}
