import { VenturiError } from './errors.ts';

/** The value of an option, where it is a whole number of at least `least`. */
export function wholeNumber(operator: string, option: string, value: number, least: number): number {
  if (Number.isSafeInteger(value) && value >= least) return value;
  throw badOption(`${operator}: ${option} is ${describe(value)}`, `give a whole number of at least ${least}`);
}

export const badOption = (what: string, remedy: string): VenturiError =>
  new VenturiError('VENTURI_BAD_OPTION', what, { remedy });

/** As it stands in a message. */
export const describe = (value: unknown): string => (typeof value === 'string' ? `'${value}'` : `${value}`);
