import type { Traits } from '../model/traits.ts';

/**
 * Whether typed arrays are lent to a stage where they lie in its channel, instead of copied out: it reads one channel, and its first operator keeps nothing of
 * what it is given. Filters that keep nothing may stand before that operator: what they pass on is still lent.
 */
export const isLent = (operators: readonly Pick<Traits, 'keepsValues' | 'borrows'>[], channels: number): boolean =>
  channels === 1 && operators.find(({ keepsValues, borrows }) => !(keepsValues && borrows === true))?.borrows === true;
