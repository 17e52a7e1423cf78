/** How a program ended, and what it said. */
export interface Ending {
  readonly code: number | string;
  readonly stdout: string;
  readonly stderr: string;
}

type Mask = Readonly<Record<'stdout' | 'stderr', ReadonlySet<number>>>;

export const MOST_MASKED: number;
export function difference(alone: Ending, recorded: Ending, again: () => Promise<Ending>): Promise<string | undefined>;
export function maskOf(one: Ending, other: Ending): Mask | string;
export function differing(alone: Ending, recorded: Ending, mask?: Mask): string | undefined;
