import { partsOf, withParts } from '../expression.ts';
import type { Aggregate, Expression, Plan } from '../plan.ts';
import { inOrderOf, overInput, overSides } from '../schema.ts';
import type { Change, Log } from './changes.ts';
import { fuseGroupJoins } from './fuse-group-joins.ts';
import { orderJoins } from './order-joins.ts';
import { pruneColumns } from './prune-columns.ts';
import { pushFilters } from './push-filters.ts';

/** In the order in which they are applied, each a function from a plan to a plan that gives the same rows. */
const PASSES: readonly (readonly [name: string, pass: (plan: Plan, log: Log) => Plan])[] = [
  ['push filters', pushFilters],
  ['prune columns', pruneColumns],
  ['order joins', orderJoins],
  ['fuse group-joins', fuseGroupJoins],
];

export interface OptimisedPlan {
  readonly plan: Plan;
  readonly changes: readonly Change[];
}

/** A plan that gives the same rows in the same order, as a rule for less. Sums may be added up in another order. */
export function optimise(plan: Plan): OptimisedPlan {
  const changes: Change[] = [];
  return { plan: new Optimiser(changes).plan(plan), changes };
}

class Optimiser {
  readonly #changes: Change[];
  /** A scalar subquery that stands in several places is run once. */
  readonly #scalars = new Map<Plan, Plan>();

  constructor(changes: Change[]) {
    this.#changes = changes;
  }

  plan(plan: Plan): Plan {
    let next = this.#subqueries(plan);
    for (const [pass, apply] of PASSES) {
      next = apply(next, (operator, what) => this.#changes.push({ pass, operator, what }));
    }
    const names = [...next.schema.keys()];
    const isInOrder = [...plan.schema.keys()].every((name, at) => name === names[at]);
    return isInOrder ? next : { ...next, schema: inOrderOf(next.schema, plan.schema) };
  }

  /** The same with its scalar subqueries optimised, each by itself. */
  #subqueries(plan: Plan): Plan {
    if (plan.kind === 'scan') return plan;
    if (plan.kind === 'join') {
      const next = overSides(plan, this.#subqueries(plan.left), this.#subqueries(plan.right));
      const condition = plan.condition === undefined ? undefined : this.#expression(plan.condition);
      return condition === plan.condition ? next : { ...next, condition, origin: plan };
    }
    const next = overInput(plan, this.#subqueries(plan.input));
    if (next.kind === 'filter') {
      const condition = this.#expression(next.condition);
      return condition === next.condition ? next : { ...next, condition, origin: plan };
    }
    if (next.kind === 'project') {
      if (![...next.columns.values()].some(hasScalar)) return next;
      const columns = new Map([...next.columns].map(([name, of]) => [name, this.#expression(of)]));
      return { ...next, columns, origin: plan };
    }
    if (next.kind === 'groupBy') {
      if (![...next.aggregates.values()].some(({ of }) => of !== undefined && hasScalar(of))) return next;
      const aggregates = new Map([...next.aggregates].map(([name, own]) => [name, this.#aggregate(own)]));
      return { ...next, aggregates, origin: plan };
    }
    return next;
  }

  #aggregate(aggregate: Aggregate): Aggregate {
    return aggregate.of === undefined ? aggregate : { ...aggregate, of: this.#expression(aggregate.of) };
  }

  #expression(expression: Expression): Expression {
    if (expression.kind !== 'scalar') return withParts(expression, part => this.#expression(part));
    const known = this.#scalars.get(expression.plan) ?? this.plan(expression.plan);
    this.#scalars.set(expression.plan, known);
    return known === expression.plan ? expression : { ...expression, plan: known };
  }
}

const hasScalar = (expression: Expression): boolean =>
  expression.kind === 'scalar' || partsOf(expression).some(hasScalar);
