import type { Expression, Plan } from '../plan.ts';
import type { Column } from '../table.ts';
import { conjuncts } from './conditions.ts';
import { areUnique, distinctIn, rangeOf } from './statistics.ts';

/** Selectivities where nothing is known of the values: Selinger et al., Access Path Selection, SIGMOD 1979, table 1. */
const EQUAL = 1 / 10;
const RANGE = 1 / 3;
const IN_AT_MOST = 1 / 2;

/** Parts of rows that a group has, of its input's, where nothing is known of its keys. */
const GROUPS = 1 / 10;

/** The column of a table that a plan's column is read from, unchanged. */
function originOf(plan: Plan, name: string): Column | undefined {
  switch (plan.kind) {
    case 'scan':
      return plan.table.columns[name.slice(plan.prefix.length)];
    case 'project': {
      const of = plan.columns.get(name);
      return of?.kind === 'column' ? originOf(plan.input, of.name) : undefined;
    }
    case 'join':
      return originOf(plan.left.schema.has(name) ? plan.left : plan.right, name);
    case 'groupBy':
      return plan.keys.includes(name) ? originOf(plan.input, name) : undefined;
    default:
      return originOf(plan.input, name);
  }
}

/** How many different values a column has, before anything is filtered. */
function distinctOf(plan: Plan, name: string): number | undefined {
  const column = originOf(plan, name);
  if (column === undefined) return undefined;
  if (column.dictionary !== undefined) return column.dictionary.length;
  if (column.type === 'boolean') return 2;
  return distinctIn(column);
}

/** How many rows it gives, as an estimate. */
export function rowsOf(plan: Plan): number {
  switch (plan.kind) {
    case 'scan':
      return plan.table.rows;
    case 'filter':
      return rowsOf(plan.input) * selectivity(plan.condition, plan.input);
    case 'join':
      return rowsOf(plan.left) * fanOut(plan);
    case 'groupBy': {
      if (plan.keys.length === 0) return 1;
      const rows = rowsOf(plan.input);
      let groups = 1;
      for (const key of plan.keys) groups *= distinctOf(plan.input, key) ?? Math.max(1, rows * GROUPS);
      return Math.min(rows, groups);
    }
    case 'limit':
      return Math.min(plan.count, rowsOf(plan.input));
    default:
      return rowsOf(plan.input);
  }
}

/** Rows that a join gives for each of its left side: matches by key, of keys that both sides draw from the larger of their domains. */
export function fanOut(plan: Extract<Plan, { kind: 'join' }>): number {
  const { left, right, on, how, condition } = plan;
  let domain = 1;
  for (const { left: ours, right: theirs } of on)
    domain *= Math.max(distinctOf(left, ours) ?? 1, distinctOf(right, theirs) ?? 1);
  // Keys of several columns have no more values together than the rows of a side that is unique by them.
  for (const [side, names] of [
    [left, on.map(each => each.left)] as const,
    [right, on.map(each => each.right)] as const,
  ])
    if (isUniqueBy(side, names)) domain = Math.min(domain, baseRows(side));
  const held = condition === undefined ? 1 : selectivity(condition, plan);
  const matches = (rowsOf(right) / Math.max(1, domain)) * held;
  if (how === 'semi') return Math.min(1, matches);
  if (how === 'anti') return Math.max(0, 1 - matches);
  return how === 'left' ? Math.max(1, matches) : matches;
}

/** Rows of the table whose order a plan keeps, before anything is filtered. */
function baseRows(plan: Plan): number {
  switch (plan.kind) {
    case 'scan':
      return plan.table.rows;
    case 'join':
      return baseRows(plan.left);
    case 'groupBy':
      return rowsOf(plan);
    default:
      return baseRows(plan.input);
  }
}

/** The part of rows for which a condition holds. */
function selectivity(condition: Expression, plan: Plan): number {
  switch (condition.kind) {
    case 'and':
      return conjuncts(condition).reduce((part, each) => part * selectivity(each, plan), 1);
    case 'or': {
      const [a, b] = [selectivity(condition.left, plan), selectivity(condition.right, plan)];
      return a + b - a * b;
    }
    case 'not':
      return 1 - selectivity(condition.of, plan);
    case 'comparison':
      return compared(condition, plan);
    case 'in': {
      const each = condition.of.kind === 'column' ? equalTo(plan, condition.of.name) : EQUAL;
      return Math.min(IN_AT_MOST, condition.values.length * each);
    }
    case 'constant':
      return condition.value === true ? 1 : 0;
    default:
      return EQUAL;
  }
}

const equalTo = (plan: Plan, name: string): number => {
  const distinct = distinctOf(plan, name);
  return distinct === undefined ? EQUAL : 1 / Math.max(1, distinct);
};

const MIRRORED = { '=': '=', '<>': '<>', '<': '>', '<=': '>=', '>': '<', '>=': '<=' } as const;

function compared(condition: Extract<Expression, { kind: 'comparison' }>, plan: Plan): number {
  const { operator, left, right } = condition;
  if (left.kind !== 'column' && right.kind === 'column')
    return compared({ ...condition, operator: MIRRORED[operator], left: right, right: left }, plan);
  const equal = left.kind === 'column' ? equalTo(plan, left.name) : EQUAL;
  if (operator === '=') return equal;
  if (operator === '<>') return 1 - equal;
  const column = left.kind === 'column' ? originOf(plan, left.name) : undefined;
  const range = column?.dictionary === undefined && column !== undefined ? rangeOf(column) : undefined;
  if (range === undefined || right.kind !== 'constant' || typeof right.value !== 'number') return RANGE;
  if (!(range.high > range.low)) return RANGE;
  const below = Math.min(1, Math.max(0, (right.value - range.low) / (range.high - range.low)));
  return operator === '<' || operator === '<=' ? below : 1 - below;
}

/** Whether no two rows of it are known to have the same values in `names`. */
export function isUniqueBy(plan: Plan, names: readonly string[]): boolean {
  switch (plan.kind) {
    case 'scan':
      return areUnique(names.flatMap(name => plan.table.columns[name.slice(plan.prefix.length)] ?? []));
    case 'project':
      return isUniqueBy(
        plan.input,
        names.flatMap(name => {
          const of = plan.columns.get(name);
          return of?.kind === 'column' ? [of.name] : [];
        }),
      );
    case 'groupBy':
      return plan.keys.every(key => names.includes(key));
    case 'join': {
      const { left, right, on, how } = plan;
      // Keys that are equal stand for each other; in a left join those of the right may be missing.
      const same = how === 'left' ? [] : on;
      const ours = [...names, ...same.filter(each => names.includes(each.right)).map(each => each.left)];
      const ofLeft = ours.filter(name => left.schema.has(name));
      const isMatchedOnce =
        how === 'semi' ||
        how === 'anti' ||
        isUniqueBy(
          right,
          on.map(each => each.right),
        );
      if (isMatchedOnce && isUniqueBy(left, ofLeft)) return true;
      if (how !== 'inner') return false;
      const theirs = [...names, ...on.filter(each => names.includes(each.left)).map(each => each.right)];
      const ofRight = theirs.filter(name => right.schema.has(name));
      return (
        isUniqueBy(
          left,
          on.map(each => each.left),
        ) && isUniqueBy(right, ofRight)
      );
    }
    default:
      return isUniqueBy(plan.input, names);
  }
}
