import { columnsOf } from '../expression.ts';
import type { Expression, Plan, PlanOf } from '../plan.ts';
import { overInput, overSides } from '../schema.ts';
import type { Log } from './changes.ts';
import { conjunction, conjuncts, mayFail, substituted } from './conditions.ts';

/** Conditions of one filter on their way down. */
interface Pending {
  readonly condition: Expression;
  readonly filter: PlanOf<'filter'>;
  /** What it has passed. */
  readonly passed: readonly string[];
}

/**
 * Filters as near to their tables as they may stand. A condition that may be an error stays where it is, so that it is asked of no row that
 * others drop before; the others may pass it, and then fewer rows can be at fault.
 */
export const pushFilters = (plan: Plan, log: Log): Plan => pushed(plan, [], log);

function pushed(plan: Plan, pending: readonly Pending[], log: Log): Plan {
  switch (plan.kind) {
    case 'scan':
      return settled(plan, pending, log);
    case 'filter':
      return throughFilter(plan, pending, log);
    case 'project': {
      const both = pending.map(above => ({
        above,
        below: { ...above, condition: substituted(above.condition, plan.columns) },
      }));
      const [moving, staying] = parted(both, ({ below }) => !mayFail(below.condition));
      const under = passing(
        moving.map(({ below }) => below),
        plan,
      );
      return settled(
        overInput(plan, pushed(plan.input, under, log)),
        staying.map(({ above }) => above),
        log,
      );
    }
    case 'groupBy': {
      const [under, above] = parted(
        pending,
        ({ condition }) => plan.keys.length > 0 && isOver(condition, new Set(plan.keys)),
      );
      return settled(overInput(plan, pushed(plan.input, passing(under, plan), log)), above, log);
    }
    case 'orderBy':
      return overInput(plan, pushed(plan.input, passing(pending, plan), log));
    case 'limit':
      return settled(overInput(plan, pushed(plan.input, [], log)), pending, log);
    case 'join':
      return throughJoin(plan, pending, log);
  }
}

const isOver = (condition: Expression, columns: { has(name: string): boolean }): boolean =>
  [...columnsOf(condition)].every(name => columns.has(name));

function parted<T>(items: readonly T[], holds: (item: T) => boolean): [T[], T[]] {
  const yes = items.map(holds);
  return [items.filter((_, at) => yes[at]), items.filter((_, at) => !yes[at])];
}

const passing = (pending: readonly Pending[], { label }: Plan): Pending[] =>
  pending.map(each => ({ ...each, passed: [...each.passed, label] }));

function throughFilter(plan: PlanOf<'filter'>, pending: readonly Pending[], log: Log): Plan {
  const [moving, staying] = parted(conjuncts(plan.condition), condition => !mayFail(condition));
  const own = moving.map((condition): Pending => ({ condition, filter: plan, passed: [] }));
  const kept = conjunction(staying);
  if (kept === undefined) return pushed(plan.input, [...own, ...pending], log);
  const input = pushed(plan.input, [...own, ...passing(pending, plan)], log);
  if (moving.length === 0 && input === plan.input) return plan;
  return { ...plan, condition: kept, input, schema: input.schema, origin: plan.origin ?? plan };
}

function throughJoin(plan: PlanOf<'join'>, pending: readonly Pending[], log: Log): Plan {
  const { left, right, how, condition } = plan;
  const own = condition === undefined ? [] : conjuncts(condition);
  const [toRight, others] = parted(
    own,
    each => !mayFail(each) && isOver(each, right.schema) && !isOver(each, left.schema),
  );
  // A row of the left without a match is kept by a left join and by an anti join: what is asked of it there stays.
  const dropsLeft = how === 'inner' || how === 'semi';
  const [toLeft, kept] = parted(others, each => dropsLeft && !mayFail(each) && isOver(each, left.schema));
  const [ours, above] = parted(pending, each => isOver(each.condition, left.schema));
  const [theirs, staying] = parted(above, each => how === 'inner' && isOver(each.condition, right.schema));
  const asFilter = (each: Expression): Pending => ({
    condition: each,
    filter: { kind: 'filter', input: plan, condition: each, schema: plan.schema, label: plan.label, origin: plan },
    passed: ['its condition'],
  });
  const next = overSides(
    plan,
    pushed(left, [...toLeft.map(asFilter), ...passing(ours, plan)], log),
    pushed(right, [...toRight.map(asFilter), ...passing(theirs, plan)], log),
  );
  const isSame = kept.length === own.length;
  const joined = isSame ? next : { ...next, condition: conjunction(kept), origin: plan.origin ?? plan };
  return settled(joined, staying, log);
}

/** The conditions that go no further, those of one filter together. */
function settled(plan: Plan, pending: readonly Pending[], log: Log): Plan {
  let input = plan;
  const filters = [...new Set(pending.map(({ filter }) => filter))];
  for (const filter of filters) {
    const own = pending.filter(each => each.filter === filter);
    const condition = conjunction(own.map(each => each.condition));
    if (condition === undefined) continue;
    const passed = [...new Set(own.flatMap(each => each.passed))];
    if (passed.length > 0) log(filter.label, `before ${passed.map(label => `'${label}'`).join(', ')}`);
    const isSame = filter.input === input && own.length === conjuncts(filter.condition).length && passed.length === 0;
    input = isSame ? filter : { ...filter, input, condition, schema: input.schema, origin: filter.origin ?? filter };
  }
  return input;
}
