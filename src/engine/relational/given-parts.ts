import { badOption, describe } from '../../model/option.ts';
import { givenList, kindOf } from './given.ts';
import type { Aggregate, Expression, JoinHow, Plan } from './plan.ts';

/** `value` as an object, whatever it is: what it does not have is undefined. */
const partsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};

const hasKind = (value: unknown): boolean => typeof partsOf(value).kind === 'string';

/** The expression of a term; programs without types may give anything. */
export function givenTerm(where: string, value: unknown): Expression {
  const { expression } = partsOf(value);
  if (hasKind(expression)) return expression as Expression;
  throw badOption(`${where}: ${kindOf(value)} is no term`, "give one that is made of columns: col('price').gt(4)");
}

/** The plan of a relation. */
export function givenPlan(where: string, value: unknown): Plan {
  const { plan } = partsOf(value);
  if (hasKind(plan)) return plan as Plan;
  throw badOption(`${where}: ${kindOf(value)} is no relation`, 'give what scan(table) and its methods return');
}

const AGGREGATES: ReadonlySet<unknown> = new Set<Aggregate['kind']>([
  'count',
  'sum',
  'avg',
  'min',
  'max',
  'countDistinct',
]);

export function givenAggregate(name: string, value: Aggregate): Aggregate {
  if (AGGREGATES.has(partsOf(value).kind)) return value;
  throw badOption(
    `groupBy: '${name}' is ${kindOf(value)}, and no aggregate`,
    "give count(), or sum, avg, min, max or countDistinct of a term: { total: sum(col('price')) }",
  );
}

const JOINS: ReadonlySet<unknown> = new Set<JoinHow>(['inner', 'left', 'semi', 'anti']);

export function givenHow(how: JoinHow): JoinHow {
  if (JOINS.has(how)) return how;
  throw badOption(`join: how is ${describe(how)}`, `give one of ${[...JOINS].join(', ')}`);
}

/** Pairs of columns. */
export function givenPairs(on: readonly (readonly [string, string])[]): readonly (readonly [string, string])[] {
  const example = "[['o_custkey', 'c_custkey']]";
  const pairs = givenList('join', on, example);
  const other = pairs.findIndex(
    pair => !(Array.isArray(pair) && pair.length === 2 && pair.every(name => typeof name === 'string')),
  );
  if (pairs.length === 0) throw badOption('join: there is nothing to join by', `give pairs of columns: ${example}`);
  if (other >= 0)
    throw badOption(`join: ${kindOf(pairs[other])} is no pair of columns`, `give pairs of columns: ${example}`);
  return pairs;
}
