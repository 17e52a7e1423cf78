import { columnsOf, partsOf } from '../expression.ts';
import type { Aggregate, Expression, GroupJoinSide, Plan, PlanOf, Schema } from '../plan.ts';
import { overInput, overSides } from '../schema.ts';
import { isUniqueBy, rowsOf } from './cardinality.ts';
import type { Log } from './changes.ts';

/**
 * A group-by whose groups are rows of one side of the join below keeps its aggregates in that join's hash table (Moerkotte, Neumann: Accelerating
 * Queries with Group-By and Join by Groupjoin, VLDB 2011). That no two rows of the side have the same key is known from their table, and looked at again when it runs.
 */
export function fuseGroupJoins(plan: Plan, log: Log): Plan {
  if (plan.kind === 'scan') return plan;
  if (plan.kind === 'join') return overSides(plan, fuseGroupJoins(plan.left, log), fuseGroupJoins(plan.right, log));
  const next = overInput(plan, fuseGroupJoins(plan.input, log));
  if (next.kind !== 'groupBy' || next.input.kind !== 'join') return next;
  const side = sideOf(next, next.input);
  if (side === undefined) return next;
  log(next.label, `fused with '${next.input.label}': its groups are rows of the ${side} side`);
  return { ...next, groupJoin: side, origin: next.origin ?? next };
}

function sideOf(plan: PlanOf<'groupBy'>, join: PlanOf<'join'>): GroupJoinSide | undefined {
  const { left, right, how } = join;
  if (plan.keys.length === 0) return undefined;
  if (how === 'inner' && areRowsOf('right', plan, join)) return 'right';
  if ((how !== 'inner' && how !== 'left') || !areRowsOf('left', plan, join)) return undefined;
  // The left side is kept instead, and the right one passes by: of an inner join's smaller side less has to be kept.
  if (how === 'inner') return rowsOf(left) <= rowsOf(right) ? 'left' : undefined;
  return [...plan.aggregates.values()].every(each => isNothingWithout(each, right.schema)) ? 'left' : undefined;
}

/** Whether every group is a row of that side: its keys are there, and no two rows have the same ones. */
function areRowsOf(
  side: GroupJoinSide,
  { keys }: PlanOf<'groupBy'>,
  { left, right, on, how }: PlanOf<'join'>,
): boolean {
  const [own, other] = side === 'left' ? [left, right] : [right, left];
  const pairs = on.map(each => ({ own: each[side], other: each[side === 'left' ? 'right' : 'left'] }));
  const covers = pairs.every(pair => keys.includes(pair.own) || keys.includes(pair.other));
  const isThere = (key: string): boolean =>
    own.schema.has(key) ||
    (how === 'inner' && pairs.some(pair => pair.other === key && isSameValue(own.schema, pair.own, other.schema, key)));
  // A row whose key is unknown has no match, and is a group of a left join.
  const areKnown = how === 'inner' || pairs.every(pair => own.schema.get(pair.own)?.nullable === false);
  return (
    covers &&
    keys.every(isThere) &&
    areKnown &&
    isUniqueBy(
      own,
      pairs.map(pair => pair.own),
    )
  );
}

/** Whether values that are equal are also the same: 0 is -0, and texts may be places in two lists. */
function isSameValue(ours: Schema, key: string, others: Schema, other: string): boolean {
  const [a, b] = [ours.get(key), others.get(other)];
  if (a === undefined || b === undefined || a.type !== b.type || a.type === 'string') return false;
  return a.type !== 'number' || (a.isWhole && b.isWhole);
}

/** A row without a match adds nothing to it. */
const isNothingWithout = ({ of }: Aggregate, right: Schema): boolean => of !== undefined && isNullWithout(of, right);

function isNullWithout(expression: Expression, right: Schema): boolean {
  if (![...columnsOf(expression)].some(name => right.has(name))) return false;
  switch (expression.kind) {
    case 'column':
      return true;
    case 'arithmetic':
    case 'extract':
    case 'substring':
      return partsOf(expression).some(part => isNullWithout(part, right));
    default:
      return false;
  }
}
