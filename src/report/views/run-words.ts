import { coreCount, decimal } from '../format.ts';
import type { RunHeading } from '../results/run-heading.ts';

/** The name of a run, and how it ended where that was not well: `images (failed)`. */
export function runName({ name, complete, status }: RunHeading): string {
  const state = complete ? status : 'incomplete';
  return state === 'completed' ? name : `${name} (${state})`;
}

/** Cores that others used are told from here on. */
const TOLD_CORES = 0.1;

interface Cores {
  readonly busy: number;
  /** In use by other programs, where that is known. */
  readonly others?: number | undefined;
  readonly usable: number;
}

/** `1.9 of 4 cores busy, 0.5 by other programs`. */
export function coresWords({ busy, others = 0, usable }: Cores): string {
  const foreign = others >= TOLD_CORES ? `, ${decimal(others)} by other programs` : '';
  return `${decimal(busy)} of ${coreCount(usable)} busy${foreign}`;
}

/** Of the usable cores: more than this in use by other programs is said first. */
const TOLD_FIRST = 0.1;

/** `Beside other programs, which use 1.2 of 4 cores: `, to begin a headline with; nothing where they use little. */
export const besideOthers = (others: number, usable: number): string =>
  others > TOLD_FIRST * usable ? `Beside other programs, which use ${decimal(others)} of ${coreCount(usable)}: ` : '';
