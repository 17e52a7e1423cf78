import { columnsOf } from '../expression.ts';
import type { Expression, Plan, Schema } from '../plan.ts';
import { overInput, overSides } from '../schema.ts';
import type { Log } from './changes.ts';

/** Projections pushed down: columns and aggregates that nobody asks for are not computed. Columns of tables are read on demand anyway. */
export const pruneColumns = (plan: Plan, log: Log): Plan => pruned(plan, new Set(plan.schema.keys()), log);

const read = (expressions: Iterable<Expression | undefined>): string[] =>
  [...expressions].flatMap(each => (each === undefined ? [] : [...columnsOf(each)]));

const only = (schema: Schema, names: { has(name: string): boolean }): Schema =>
  new Map([...schema].filter(([name]) => names.has(name)));

function pruned(plan: Plan, needed: ReadonlySet<string>, log: Log): Plan {
  switch (plan.kind) {
    case 'scan':
      return plan;
    case 'filter':
      return overInput(plan, pruned(plan.input, new Set([...needed, ...read([plan.condition])]), log));
    case 'orderBy':
      return overInput(plan, pruned(plan.input, new Set([...needed, ...plan.by.map(({ column }) => column)]), log));
    case 'limit':
      return overInput(plan, pruned(plan.input, needed, log));
    case 'project': {
      const unused = [...plan.columns.keys()].filter(name => !needed.has(name));
      const columns = new Map([...plan.columns].filter(([name]) => needed.has(name)));
      const input = pruned(plan.input, new Set(read(columns.values())), log);
      if (unused.length === 0 || columns.size === 0) return overInput(plan, input);
      log(plan.label, `without ${quoted(unused)}`);
      return { ...plan, columns, input, schema: only(plan.schema, columns), origin: plan.origin ?? plan };
    }
    case 'groupBy': {
      const unused = [...plan.aggregates.keys()].filter(name => !needed.has(name));
      const aggregates = new Map([...plan.aggregates].filter(([name]) => needed.has(name)));
      const used = new Set([...plan.keys, ...read([...aggregates.values()].map(({ of }) => of))]);
      const input = pruned(plan.input, used, log);
      if (unused.length === 0) return overInput(plan, input);
      log(plan.label, `without ${quoted(unused)}`);
      const schema = only(plan.schema, new Set([...plan.keys, ...aggregates.keys()]));
      return { ...plan, aggregates, input, schema, origin: plan.origin ?? plan };
    }
    case 'join': {
      const wanted = [...needed, ...read([plan.condition])];
      const left = pruned(plan.left, new Set([...wanted, ...plan.on.map(each => each.left)]), log);
      const right = pruned(plan.right, new Set([...wanted, ...plan.on.map(each => each.right)]), log);
      return overSides(plan, left, right);
    }
  }
}

const quoted = (names: readonly string[]): string => names.map(name => `'${name}'`).join(', ');
