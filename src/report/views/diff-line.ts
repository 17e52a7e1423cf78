import type { CodeLine } from '../tree.ts';

/** A line of a diff: what comes is good, what goes is bad. */
export const diffLine = (text: string): CodeLine => ({
  text,
  tone: text.startsWith('+') ? 'good' : text.startsWith('-') ? 'bad' : undefined,
});
