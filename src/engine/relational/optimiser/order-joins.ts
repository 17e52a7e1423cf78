import { columnsOf } from '../expression.ts';
import type { Plan, PlanOf } from '../plan.ts';
import { inOrderOf, overInput, overSides } from '../schema.ts';
import { fanOut, isUniqueBy, rowsOf } from './cardinality.ts';
import type { Log } from './changes.ts';
import { keyMayFail, mayFail } from './conditions.ts';

/**
 * Joins one behind the other on the same rows: those that leave the fewest first, as far as their keys are there. The smaller side of a join is kept, where nobody sees the
 * order of its rows. The rows are the same in the same order: of joins that find several matches none passes another.
 */
export const orderJoins = (plan: Plan, log: Log): Plan => ordered(plan, true, log);

/** `isSeen`: whether the order of its rows shows in the result. */
function ordered(plan: Plan, isSeen: boolean, log: Log): Plan {
  switch (plan.kind) {
    case 'scan':
      return plan;
    case 'limit':
      return overInput(plan, ordered(plan.input, true, log));
    case 'orderBy': {
      const isTotal = isUniqueBy(
        plan.input,
        plan.by.map(({ column }) => column),
      );
      return overInput(plan, ordered(plan.input, isSeen && !isTotal, log));
    }
    case 'groupBy':
      return overInput(plan, ordered(plan.input, isSeen && plan.keys.length > 0, log));
    case 'join':
      return isMovable(plan) ? chained(plan, isSeen, log) : joined(plan, isSeen, log);
    default:
      return overInput(plan, ordered(plan.input, isSeen, log));
  }
}

const isMovable = (plan: Plan): plan is PlanOf<'join'> => plan.kind === 'join' && plan.how !== 'left';

const seenOfRight = ({ how, right, on }: PlanOf<'join'>, isSeen: boolean): boolean =>
  isSeen &&
  how !== 'semi' &&
  how !== 'anti' &&
  !isUniqueBy(
    right,
    on.map(each => each.right),
  );

function joined(plan: PlanOf<'join'>, isSeen: boolean, log: Log): Plan {
  const right = ordered(plan.right, seenOfRight(plan, isSeen), log);
  return overSides(plan, ordered(plan.left, isSeen, log), right);
}

interface Link {
  readonly join: PlanOf<'join'>;
  readonly at: number;
  /** Columns that have to be there before. */
  readonly needs: readonly string[];
  readonly fanOut: number;
  readonly rows: number;
  /** Its matches come in an order. */
  readonly isMultiple: boolean;
  readonly mayFail: boolean;
}

function linkOf(join: PlanOf<'join'>, at: number, isSeen: boolean, log: Log): Link {
  const { on, how, condition } = join;
  const right = ordered(join.right, seenOfRight(join, isSeen), log);
  const next = overSides(join, join.left, right);
  const columns = condition === undefined ? [] : [...columnsOf(condition)];
  const isMultiple =
    how === 'inner' &&
    !isUniqueBy(
      right,
      on.map(each => each.right),
    );
  const canFail =
    on.some(each => keyMayFail(join.left.schema, each.left)) || (condition !== undefined && mayFail(condition));
  return {
    join: next,
    at,
    needs: [...on.map(each => each.left), ...columns.filter(name => !right.schema.has(name))],
    fanOut: fanOut(next),
    rows: rowsOf(right),
    isMultiple,
    mayFail: canFail,
  };
}

function chained(top: PlanOf<'join'>, isSeen: boolean, log: Log): Plan {
  const joins: PlanOf<'join'>[] = [];
  let base: Plan = top;
  while (isMovable(base)) {
    joins.unshift(base);
    base = base.left;
  }
  let waiting = joins.map((join, at) => linkOf(join, at, isSeen, log));
  let plan = ordered(base, isSeen, log);
  const order: Link[] = [];
  while (waiting.length > 0) {
    const open = waiting.filter(link => mayBeNext(link, waiting, plan));
    const next = open.reduce((best, link) => (isBefore(link, best) ? link : best));
    plan = swapped(overSides(next.join, plan, next.join.right), isSeen, log);
    order.push(next);
    waiting = waiting.filter(link => link !== next);
  }
  for (const [place, { join, at, fanOut: rate }] of order.entries())
    if (at > place && order.slice(place + 1).some(each => each.at < at))
      log(join.label, `earlier: it leaves ${rate.toPrecision(2)} rows of each, by estimate`);
  const schema = inOrderOf(plan.schema, top.schema);
  return plan === top || [...schema.keys()].every((name, at) => name === [...plan.schema.keys()][at])
    ? plan
    : { ...plan, schema };
}

function mayBeNext(link: Link, waiting: readonly Link[], plan: Plan): boolean {
  const before = waiting.filter(({ at }) => at < link.at);
  if (!link.needs.every(name => plan.schema.has(name))) return false;
  if (link.mayFail && before.length > 0) return false;
  return !(link.isMultiple && before.some(({ isMultiple }) => isMultiple));
}

const isBefore = (a: Link, b: Link): boolean => a.fanOut < b.fanOut || (a.fanOut === b.fanOut && a.rows < b.rows);

/** An exchange of sides has to keep at most one row of so many: estimates err, and rows that would pass by are kept. */
const EXCHANGE_RATIO = 2;

/** The smaller side is kept. */
function swapped(plan: PlanOf<'join'>, isSeen: boolean, log: Log): Plan {
  const { left, right, on, how } = plan;
  if (isSeen || how !== 'inner') return plan;
  const [ours, theirs] = [rowsOf(left), rowsOf(right)];
  if (ours * EXCHANGE_RATIO > theirs) return plan;
  log(plan.label, `keeps its left side: ${Math.round(ours)} rows, and not ${Math.round(theirs)}, by estimate`);
  const sides = { ...plan, left: right, right: left, on: on.map(each => ({ left: each.right, right: each.left })) };
  return { ...sides, origin: plan.origin ?? plan };
}
