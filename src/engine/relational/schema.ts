import { badOption } from '../../model/option.ts';
import type { JoinHow, Plan, PlanOf, Schema } from './plan.ts';

/** Columns of both sides; those of the right may be missing in a left join. */
export function paired(left: Schema, right: Schema, how: JoinHow): Schema {
  const both = new Map(left);
  for (const [column, facts] of right) {
    if (both.has(column)) {
      throw badOption(
        `join: both sides have a column '${column}'`,
        'give one of them another name, by a project or by a prefix of its scan',
      );
    }
    both.set(column, how === 'left' ? { ...facts, nullable: true } : facts);
  }
  return both;
}

/** The same operator over another input, with what it then gives. */
export function overInput<P extends Exclude<Plan, PlanOf<'scan' | 'join'>>>(plan: P, input: Plan): P {
  if (input === plan.input) return plan;
  const schema = plan.kind === 'project' || plan.kind === 'groupBy' ? plan.schema : input.schema;
  return { ...plan, input, schema, origin: plan.origin ?? plan };
}

/** The same join over other inputs. */
export function overSides(plan: PlanOf<'join'>, left: Plan, right: Plan): PlanOf<'join'> {
  if (left === plan.left && right === plan.right) return plan;
  const isFilter = plan.how === 'semi' || plan.how === 'anti';
  const schema = isFilter ? left.schema : paired(left.schema, right.schema, plan.how);
  return { ...plan, left, right, schema, origin: plan.origin ?? plan };
}

/** The same columns in the order that `like` has them. */
export function inOrderOf(schema: Schema, like: Schema): Schema {
  const names = new Set([...like.keys(), ...schema.keys()]);
  return new Map([...names].flatMap(name => [...schema].filter(([own]) => own === name)));
}
