import type { ProfiledLine, ProfiledLoop } from './summary.ts';

/** A line of generated code with most of the samples, and where it stands. */
export interface HotLine extends ProfiledLine {
  readonly stage: string;
  readonly file: string;
  /** From 1. */
  readonly number: number;
  /** Of all samples of lanes at work. */
  readonly share: number;
}

const MOST_HOTTEST = 10;

/** The lines of all loops and queries that have most of the samples; what they call is not among them. */
export const hottestLines = (loops: readonly ProfiledLoop[], samples: number): HotLine[] =>
  loops
    .flatMap(({ stage, file, lines }) =>
      lines.map((line, at): HotLine => ({ stage, file, number: at + 1, ...line, share: line.hits / samples })),
    )
    .filter(({ hits }) => hits > 0)
    .sort((a, b) => b.hits - a.hits)
    .slice(0, MOST_HOTTEST);
