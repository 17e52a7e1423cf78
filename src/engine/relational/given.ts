import { badOption, describe } from '../../model/option.ts';

/** What a value is, in a few words. */
export function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'an object';
  return typeof value === 'function' ? 'a function' : describe(value);
}

export function givenList<T>(where: string, value: readonly T[], example: string): readonly T[] {
  if (Array.isArray(value)) return value;
  throw badOption(`${where}: ${kindOf(value)} is no list`, `give a list: ${example}`);
}

/** Names with what they stand for. */
export function givenEntries<T>(where: string, value: Readonly<Record<string, T>>, example: string): [string, T][] {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return Object.entries(value);
  throw badOption(`${where}: ${kindOf(value)} has no names`, `give names with what they stand for: ${example}`);
}

/** Expressions and plans are trees, which are gone through by functions that call themselves. */
export function notTooDeep<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof RangeError) || !error.message.includes('call stack')) throw error;
    throw badOption(
      'the query is nested too deeply',
      "give lists to in() instead of one condition behind the other, or put a part of it into a query of its own: table('part', …)",
    );
  }
}
