import { count, percent, rate } from '../report/format.ts';
import type { Gain } from './finding.ts';

export const hasLanes = (n: number): string => (n === 1 ? 'its 1 lane is' : `its ${count(n)} lanes are`);

export const possible = (gain: Gain | undefined): string =>
  gain === undefined ? '' : ` of a possible ${rate(gain.rate)}`;

/** Names in a sentence that must stay one. */
const MOST_NAMES = 6;

/** `read, decode, resize`; of many the first, and how many more there are. */
export const listed = (names: readonly string[]): string =>
  names.length <= MOST_NAMES
    ? names.join(', ')
    : `${names.slice(0, MOST_NAMES - 1).join(', ')} and ${count(names.length - MOST_NAMES + 1)} more`;

/** Less of a program's time is not worth a change. */
const LITTLE = 0.05;

/** How much there is to gain at all. */
export const stake = (ofProgram: number): string =>
  ofProgram < LITTLE
    ? `, which costs the program little: at most ${percent(ofProgram)} of its time is to gain`
    : `, at most ${percent(ofProgram)} of the program's time to gain`;
