import type { CodeLine } from '../coder.ts';

export interface PassResult {
  readonly lines: readonly CodeLine[];
  /** Lines, by their number when they were written, that are gone for good. */
  readonly dropped: readonly number[];
}

/** From the lines of a pipeline to lines that do the same. Each says which it comes from: owners follow from that. */
export type CodePass = (lines: readonly CodeLine[]) => PassResult;

/**
 * The lines behind a pass. Every line that there was must be accounted for, in a line that comes from it or among the dropped: a pass that forgets one would hand its cost to
 * somebody else, or to nobody.
 */
export function passed(pass: CodePass, lines: readonly CodeLine[]): readonly CodeLine[] {
  const { lines: after, dropped } = pass(lines);
  const before = new Set(lines.flatMap(({ from }) => from));
  const kept = new Set(after.flatMap(({ from }) => from));
  for (const { text, from } of after) {
    if (from.length === 0) throw new Error(`the pass ${pass.name} does not say where '${text}' comes from`);
    const stranger = from.find(line => !before.has(line));
    if (stranger !== undefined)
      throw new Error(`the pass ${pass.name} says that '${text}' comes from line ${stranger}`);
  }
  const gone = new Set(dropped);
  const lost = [...before].find(line => !kept.has(line) && !gone.has(line));
  if (lost !== undefined) throw new Error(`the pass ${pass.name} has lost line ${lost}`);
  return after;
}
