const CONTEXT = 2;
const NO_NEWLINE = '\\ No newline at end of file';

/** One hunk, as `patch` takes it: `@@ -12,4 +12,4 @@`, then context and changed lines, each with its sign. */
export function unifiedDiff(source: string, edited: string): string[] {
  const [before, after] = [linesOf(source), linesOf(edited)];
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before[head] === after[head]) head++;
  let tail = 0;
  while (tail < shorter - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  const from = Math.max(0, head - CONTEXT);
  const leading = before.slice(from, head);
  const trailing = before.slice(before.length - tail, before.length - tail + CONTEXT);
  const removed = before.slice(head, before.length - tail);
  const inserted = after.slice(head, after.length - tail);
  const around = leading.length + trailing.length;
  // A call has an end, and what stands behind it stays: both texts end in the same way.
  const cut = source.endsWith('\n') || tail > CONTEXT ? [] : [NO_NEWLINE];
  return [
    `@@ -${from + 1},${around + removed.length} +${from + 1},${around + inserted.length} @@`,
    ...leading.map(text => ` ${text}`),
    ...removed.map(text => `-${text}`),
    ...(tail === 0 ? cut : []),
    ...inserted.map(text => `+${text}`),
    ...trailing.map(text => ` ${text}`),
    ...cut,
  ];
}

const linesOf = (text: string): string[] => text.replace(/\n$/, '').split('\n');
