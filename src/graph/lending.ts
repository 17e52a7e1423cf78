import type { Traits } from '../model/traits.ts';

/**
 * Whether a stage of these operators, which reads from one channel, is lent what lies in it: the first to which more than a look is given only reads it, so that
 * nothing is copied out.
 */
export const isLent = (operators: readonly Pick<Traits, 'keepsValues' | 'borrows'>[]): boolean =>
  operators.find(({ keepsValues, borrows }) => !(keepsValues && borrows === true))?.borrows ?? false;
