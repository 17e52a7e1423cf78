import type { Operator } from '../model/graph.ts';
import { isSink } from '../model/sink.ts';
import { isOrigin } from './origin.ts';

/** These give their elements another order in every pass. */
const RANDOM = new Set(['shuffle']);
/** Elements leave these in the order and number in which they arrive. */
const COUNTED_ALIKE = new Set(['map', 'prefetch', 'transport']);
/** They may leave elements of a pass unread. */
const CUTTING = new Set(['take', 'zip']);

/**
 * Why what leaves `id` cannot be kept without that being seen, by what the graph says. The engine refuses the same, and
 * whether an operator was seen to draw random numbers is for the recording to say.
 */
export function whyNotKept(operators: readonly Operator[], id: string): string | undefined {
  const byId = new Map(operators.map(operator => [operator.id, operator]));
  const at = byId.get(id);
  if (at === undefined) return `there is no '${id}'`;
  for (const operator of upTo(byId, at)) {
    const { kind, random, context } = operator;
    if (RANDOM.has(kind) || random === true) return `'${operator.id}' is random`;
    if (kind === 'repeat') return `'${operator.id}' makes several passes one`;
    if (isSink(operator)) return 'nothing ever does';
    if (context === true && random !== false) return `'${operator.id}' is told its element's number and pass`;
  }
  const told = whoIsTold(operators, at);
  if (told === undefined) return undefined;
  const renumbers = renumbering(byId, at);
  if (renumbers !== undefined) return `'${renumbers}' changes the numbers that '${told}' is told`;
  const below = downstream(operators, at);
  return below.some(({ kind }) => CUTTING.has(kind)) ? `passes may be cut short, which '${told}' would see` : undefined;
}

/** Why a source cannot be read in parts without that being seen. */
export function whyNotDivided(operators: readonly Operator[], at: Operator): string | undefined {
  const told = whoIsTold(operators, at);
  return told === undefined ? undefined : `'${told}' is told the numbers of its elements`;
}

/** The operator and all upstream of it. */
export function upTo(byId: ReadonlyMap<string, Operator>, at: Operator): ReadonlySet<Operator> {
  const found = new Set<Operator>();
  const visit = (operator: Operator | undefined): void => {
    if (operator === undefined || found.has(operator)) return;
    found.add(operator);
    for (const input of operator.inputs) visit(byId.get(input));
  };
  visit(at);
  return found;
}

/** `operators` are upstream first. */
function downstream(operators: readonly Operator[], at: Operator): Operator[] {
  const found = new Set([at.id]);
  return operators.filter(({ id, inputs }) => {
    const isBelow = inputs.some(input => found.has(input));
    if (isBelow) found.add(id);
    return isBelow;
  });
}

/** Someone who learns the numbers that elements have when they leave `at`. */
function whoIsTold(operators: readonly Operator[], at: Operator): string | undefined {
  const reached = new Set([at.id]);
  for (const operator of operators) {
    const { id, kind, inputs, context } = operator;
    if (!inputs.some(input => reached.has(input))) continue;
    if (context === true || kind === 'interleave') return id;
    if (!isOrigin(operator)) reached.add(id);
  }
  return undefined;
}

/** The operator between `at` and where its elements are numbered that makes the k-th of them not number k. */
function renumbering(byId: ReadonlyMap<string, Operator>, at: Operator): string | undefined {
  for (let operator: Operator | undefined = at; operator !== undefined; operator = byId.get(operator.inputs[0] ?? '')) {
    if (isOrigin(operator)) return undefined;
    if (!COUNTED_ALIKE.has(operator.kind) || operator.settings.onError !== undefined) return operator.id;
  }
  return undefined;
}
