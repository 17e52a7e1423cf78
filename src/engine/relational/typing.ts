import { VenturiError } from '../../model/errors.ts';
import type { ColumnFacts, Expression, Plan, Schema } from './plan.ts';
import type { ColumnType } from './table.ts';

type Typed = Pick<ColumnFacts, 'type' | 'nullable'>;

/** The type of an expression over the columns of `schema`; what does not fit together is refused. */
export function typeOf(expression: Expression, schema: Schema): Typed {
  switch (expression.kind) {
    case 'column':
      return columnIn(schema, expression.name);
    case 'constant':
      return { type: expression.type, nullable: false };
    case 'arithmetic':
      return arithmetic(expression.operator, typeOf(expression.left, schema), typeOf(expression.right, schema));
    case 'comparison': {
      const [left, right] = [typeOf(expression.left, schema), typeOf(expression.right, schema)];
      if (left.type !== right.type) throw mismatch(`${left.type} ${expression.operator} ${right.type}`);
      return { type: 'boolean', nullable: left.nullable || right.nullable };
    }
    case 'and':
    case 'or': {
      const parts = [expression.left, expression.right].map(part => wanted('boolean', expression.kind, part, schema));
      return { type: 'boolean', nullable: parts.some(({ nullable }) => nullable) };
    }
    case 'not':
      return wanted('boolean', 'not', expression.of, schema);
    case 'isNull':
      typeOf(expression.of, schema);
      return { type: 'boolean', nullable: false };
    case 'case': {
      wanted('boolean', 'the condition of a case', expression.when, schema);
      const [value, otherwise] = [typeOf(expression.value, schema), typeOf(expression.otherwise, schema)];
      if (value.type !== otherwise.type) throw mismatch(`a case of ${value.type} or ${otherwise.type}`);
      return { type: value.type, nullable: value.nullable || otherwise.nullable };
    }
    case 'like':
      return { type: 'boolean', nullable: wanted('string', 'like', expression.of, schema).nullable };
    case 'in': {
      const of = typeOf(expression.of, schema);
      const type = of.type === 'date' ? 'number' : of.type;
      const other = expression.values.find(value => typeof value !== type);
      if (other !== undefined) throw mismatch(`a ${of.type} in a list with a ${typeof other}`);
      return { type: 'boolean', nullable: of.nullable };
    }
    case 'extract':
      return { type: 'number', nullable: wanted('date', `the ${expression.part}`, expression.of, schema).nullable };
    case 'substring':
      return wanted('string', 'substring', expression.of, schema);
    case 'scalar':
      return { ...scalarOf(expression.plan), nullable: true };
  }
}

/** A date and a number are days; the difference of two dates is a number. */
function arithmetic(operator: string, left: Typed, right: Typed): Typed {
  const nullable = left.nullable || right.nullable;
  if (left.type === 'number' && right.type === 'number') return { type: 'number', nullable };
  if (left.type === 'date' && right.type === 'number' && (operator === '+' || operator === '-'))
    return { type: 'date', nullable };
  if (left.type === 'date' && right.type === 'date' && operator === '-') return { type: 'number', nullable };
  throw mismatch(`${left.type} ${operator} ${right.type}`);
}

function wanted(type: ColumnType, what: string, of: Expression, schema: Schema): Typed {
  const typed = typeOf(of, schema);
  if (typed.type === type) return typed;
  throw mismatch(`${what} of a ${typed.type}, and not of a ${type}`);
}

function scalarOf({ schema }: Plan): ColumnFacts {
  const [only, ...others] = schema.values();
  if (only !== undefined && others.length === 0) return only;
  throw mismatch(`a relation of ${schema.size} columns as one value`);
}

export function columnIn(schema: Schema, name: string): ColumnFacts {
  const facts = schema.get(name);
  if (facts !== undefined) return facts;
  throw new VenturiError('VENTURI_UNKNOWN_COLUMN', `there is no column '${name}'`, {
    remedy: `there are ${[...schema.keys()].map(column => `'${column}'`).join(', ')}`,
  });
}

export const mismatch = (what: string): VenturiError =>
  new VenturiError('VENTURI_TYPE_MISMATCH', `types do not fit: ${what}`, {
    remedy: 'compare and compute with values of one type; dates are made with date(), and differ by days',
  });
