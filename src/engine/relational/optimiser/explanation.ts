import type { Aggregate, Expression, Plan } from '../plan.ts';
import { dateOf } from '../table.ts';
import { rowsOf } from './cardinality.ts';
import type { Change } from './changes.ts';

/** A plan as text, an operator a line, with the rows that it gives by estimate, and what was changed in it. */
export function explanation(plan: Plan, changes: readonly Change[]): string {
  const lines = treeOf(plan, 0);
  if (changes.length === 0) return lines.join('\n');
  const changed = changes.map(({ pass, operator, what }) => `  ${pass}: '${operator}' ${what}`);
  return [...lines, '', 'changed:', ...changed].join('\n');
}

function treeOf(plan: Plan, depth: number): string[] {
  const own = `${'  '.repeat(depth)}${plan.label}: ${detailOf(plan)} (~${Math.round(rowsOf(plan))} rows)`;
  if (plan.kind === 'scan') return [own];
  const inputs = plan.kind === 'join' ? [plan.left, plan.right] : [plan.input];
  return [own, ...inputs.flatMap(input => treeOf(input, depth + 1))];
}

function detailOf(plan: Plan): string {
  switch (plan.kind) {
    case 'scan':
      return `${plan.table.rows} rows of ${plan.table.name}`;
    case 'filter':
      return `filter ${textOf(plan.condition)}`;
    case 'project':
      return `project ${[...plan.columns].map(([name, of]) => (textOf(of) === name ? name : `${name} = ${textOf(of)}`)).join(', ')}`;
    case 'join': {
      const on = plan.on.map(({ left, right }) => `${left} = ${right}`).join(' and ');
      const condition = plan.condition === undefined ? '' : ` and ${textOf(plan.condition)}`;
      return `${plan.how} join on ${on}${condition}`;
    }
    case 'groupBy': {
      const fused = plan.groupJoin === undefined ? '' : `, groups are rows of the join's ${plan.groupJoin} side`;
      const aggregates = [...plan.aggregates].map(([name, own]) => `${name} = ${aggregateText(own)}`);
      return `group by ${[...plan.keys, ...aggregates].join(', ')}${fused}`;
    }
    case 'orderBy':
      return `order by ${plan.by.map(({ column, descending }) => (descending ? `${column} desc` : column)).join(', ')}`;
    case 'limit':
      return `limit ${plan.count}`;
  }
}

const aggregateText = ({ kind, of }: Aggregate): string => `${kind}(${of === undefined ? '' : textOf(of)})`;

/** An expression as one would write it. */
function textOf(expression: Expression): string {
  switch (expression.kind) {
    case 'column':
      return expression.name;
    case 'constant':
      if (typeof expression.value === 'string') return `'${expression.value}'`;
      return expression.type === 'date' ? dateOf(Number(expression.value)) : String(expression.value);
    case 'arithmetic':
    case 'comparison':
      return `(${textOf(expression.left)} ${expression.operator} ${textOf(expression.right)})`;
    case 'and':
    case 'or':
      return `(${textOf(expression.left)} ${expression.kind} ${textOf(expression.right)})`;
    case 'not':
      return `not ${textOf(expression.of)}`;
    case 'isNull':
      return `${textOf(expression.of)} is null`;
    case 'case':
      return `case when ${textOf(expression.when)} then ${textOf(expression.value)} else ${textOf(expression.otherwise)} end`;
    case 'like':
      return `${textOf(expression.of)} like '${expression.pattern}'`;
    case 'in':
      return `${textOf(expression.of)} in (${expression.values.join(', ')})`;
    case 'extract':
      return `${expression.part}(${textOf(expression.of)})`;
    case 'substring':
      return `substring(${textOf(expression.of)}, ${expression.from}, ${expression.length})`;
    case 'scalar':
      return `(${explanation(expression.plan, []).replaceAll(/\s*\n\s*/g, ' <- ')})`;
  }
}
