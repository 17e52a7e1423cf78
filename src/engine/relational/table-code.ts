import type { Coder, Value } from './coder.ts';
import type { PlanOf } from './plan.ts';

/** A column of row `row` of a table, read where it is first asked for. */
export function columnValue({ table, prefix, schema }: PlanOf<'scan'>, coder: Coder, name: string, row: string): Value {
  const facts = schema.get(name);
  const column = table.columns[name.slice(prefix.length)];
  if (column === undefined || facts === undefined) throw new Error(`no column '${name}'`);
  return coder.once(`${row}.${name}`, () => {
    const { type, dictionary } = facts;
    const own = `${coder.input(column.data)}[${row}]`;
    const code = coder.define('v', type === 'boolean' ? `${own} === 1` : own);
    const isNull =
      column.nulls === undefined ? undefined : coder.define('n', `${coder.input(column.nulls)}[${row}] === 1`);
    const texts = dictionary === undefined ? undefined : coder.input(dictionary);
    return { type, code, isNull, texts, isListed: dictionary !== undefined };
  });
}
