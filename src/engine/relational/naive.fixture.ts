import type { Aggregate, Expression, Plan } from './plan.ts';
import { dateOf } from './table.ts';

/** Undefined: there is none. Dates are days. */
type Cell = number | string | boolean | undefined;
export type NaiveRow = Readonly<Record<string, Cell>>;

/** What a plan must give, row by row: nested loops, no hash table, no generated code, nothing kept in columns. */
export function naive(plan: Plan): readonly NaiveRow[] {
  switch (plan.kind) {
    case 'scan':
      return Array.from({ length: plan.table.rows }, (_, row) =>
        Object.fromEntries(
          Object.entries(plan.table.columns).map(([name, { type, data, dictionary, nulls }]) => {
            const own = data[row];
            const cell = typeof own === 'number' && dictionary !== undefined ? dictionary[own] : own;
            return [`${plan.prefix}${name}`, nulls?.[row] === 1 ? undefined : type === 'boolean' ? cell === 1 : cell];
          }),
        ),
      );
    case 'filter':
      return naive(plan.input).filter(row => evaluate(plan.condition, row) === true);
    case 'project':
      return naive(plan.input).map(row =>
        Object.fromEntries([...plan.columns].map(([name, of]) => [name, evaluate(of, row)])),
      );
    case 'join':
      return joined(plan);
    case 'groupBy':
      return grouped(plan);
    case 'orderBy':
      return naive(plan.input).toSorted((a, b) => {
        for (const { column, descending } of plan.by) {
          const [x, y] = [a[column], b[column]];
          if (x === y) continue;
          if (x === undefined || y === undefined) return x === undefined ? 1 : -1;
          return (x < y ? -1 : 1) * (descending ? -1 : 1);
        }
        return 0;
      });
    case 'limit':
      return naive(plan.input).slice(0, plan.count);
  }
}

function joined(plan: Extract<Plan, { kind: 'join' }>): readonly NaiveRow[] {
  const right = naive(plan.right);
  const none = Object.fromEntries([...plan.right.schema.keys()].map(name => [name, undefined]));
  return naive(plan.left).flatMap((row): readonly NaiveRow[] => {
    const matches = right.filter(
      other =>
        plan.on.every(({ left, right: theirs }) => row[left] !== undefined && row[left] === other[theirs]) &&
        (plan.condition === undefined || evaluate(plan.condition, { ...row, ...other }) === true),
    );
    if (plan.how === 'semi') return matches.length > 0 ? [row] : [];
    if (plan.how === 'anti') return matches.length > 0 ? [] : [row];
    if (plan.how === 'left' && matches.length === 0) return [{ ...row, ...none }];
    return matches.map(other => ({ ...row, ...other }));
  });
}

function grouped(plan: Extract<Plan, { kind: 'groupBy' }>): readonly NaiveRow[] {
  const groups = new Map<string, NaiveRow[]>(plan.keys.length === 0 ? [['[]', []]] : []);
  for (const row of naive(plan.input)) {
    const key = JSON.stringify(plan.keys.map(name => [row[name]]));
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  return [...groups.values()].map(rows =>
    Object.fromEntries([
      ...plan.keys.map(key => [key, rows[0]?.[key]]),
      ...[...plan.aggregates].map(([name, aggregate]) => [name, aggregated(aggregate, rows)]),
    ]),
  );
}

function aggregated({ kind, of }: Aggregate, rows: readonly NaiveRow[]): Cell {
  if (of === undefined) return rows.length;
  const values = rows.map(row => evaluate(of, row)).filter(value => value !== undefined);
  if (kind === 'count') return values.length;
  if (kind === 'countDistinct') return new Set(values).size;
  if (values.length === 0) return undefined;
  const sum = values.reduce<number>((total, value) => total + Number(value), 0);
  if (kind === 'sum') return sum;
  if (kind === 'avg') return sum / values.length;
  return values.reduce((best, value) => ((kind === 'min' ? value < best : value > best) ? value : best));
}

/** With three truth values. */
export function evaluate(expression: Expression, row: NaiveRow): Cell {
  const of = (part: Expression): Cell => evaluate(part, row);
  switch (expression.kind) {
    case 'column':
      return row[expression.name];
    case 'constant':
      return expression.value;
    case 'arithmetic': {
      const [a, b] = [of(expression.left), of(expression.right)];
      if (a === undefined || b === undefined) return undefined;
      const [x, y] = [Number(a), Number(b)];
      return { '+': x + y, '-': x - y, '*': x * y, '/': x / y }[expression.operator];
    }
    case 'comparison': {
      const [a, b] = [of(expression.left), of(expression.right)];
      if (a === undefined || b === undefined) return undefined;
      return { '=': a === b, '<>': a !== b, '<': a < b, '<=': a <= b, '>': a > b, '>=': a >= b }[expression.operator];
    }
    case 'and':
    case 'or': {
      const values = [of(expression.left), of(expression.right)];
      const decides = expression.kind === 'or';
      if (values.includes(decides)) return decides;
      return values.includes(undefined) ? undefined : !decides;
    }
    case 'not': {
      const value = of(expression.of);
      return value === undefined ? undefined : !value;
    }
    case 'isNull':
      return of(expression.of) === undefined;
    case 'case':
      return of(expression.when) === true ? of(expression.value) : of(expression.otherwise);
    case 'like': {
      const text = of(expression.of);
      return text === undefined ? undefined : isLike([...String(text)], [...expression.pattern]);
    }
    case 'in': {
      const value = of(expression.of);
      return value === undefined ? undefined : expression.values.some(each => each === value);
    }
    case 'extract': {
      const day = of(expression.of);
      if (day === undefined) return undefined;
      const [year, month, dayOfMonth] = dateOf(Number(day)).split('-').map(Number);
      return { year, month, day: dayOfMonth }[expression.part];
    }
    case 'substring': {
      const text = of(expression.of);
      return text === undefined
        ? undefined
        : String(text).substring(expression.from - 1, expression.from - 1 + expression.length);
    }
    case 'scalar':
      return Object.values(naive(expression.plan)[0] ?? {})[0];
  }
}

function isLike(text: readonly string[], pattern: readonly string[]): boolean {
  const [first, ...rest] = pattern;
  if (first === undefined) return text.length === 0;
  if (first === '%') return isLike(text, rest) || (text.length > 0 && isLike(text.slice(1), pattern));
  return text.length > 0 && (first === '_' || first === text[0]) && isLike(text.slice(1), rest);
}
