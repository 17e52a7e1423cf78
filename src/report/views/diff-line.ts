import type { CodeLine } from '../tree.ts';

/** A line of a diff: green where it is added, red where it is removed. */
export const diffLine = (text: string): CodeLine => ({
  text,
  tone: text.startsWith('+') ? 'good' : text.startsWith('-') ? 'bad' : undefined,
});
