import type { Operator } from '../model/graph.ts';
import type { Action } from '../model/plan.ts';
import type { Topology } from './topology.ts';

/**
 * Why the elements that leave `at` cannot be kept from pass to pass without that being seen; undefined where they can.
 * Random numbers from outside the runtime are not looked for here: the planner of a cache has watched for them.
 * `without`: as if this cache were not there.
 */
export function whyNotKept<T>(topology: Topology<T>, at: T, without?: T): string | undefined {
  for (const node of [...topology.upstream(at), at]) {
    const { id, random, repeats, context, sink } = topology.operatorOf(node);
    if (random === true) return `'${id}' is random`;
    if (repeats !== undefined) return `'${id}' makes several passes one`;
    if (context === true && random !== false) {
      return `'${id}' is told its element's number and pass, and may give something else in another pass`;
    }
    if (sink === true) return node === at ? 'nothing ever does' : `what '${id}' does is to be done in every pass`;
  }
  const told = whoIsTold(topology, without ?? at);
  if (told === undefined) return undefined;
  const renumbering = renumberingUpTo(topology, at);
  if (renumbering !== undefined) {
    return `'${told}' is told the numbers of its elements, and behind '${renumbering}' a cache would give them others`;
  }
  if (topology.isCut(at)) return `'${told}' is told the numbers of its elements, and passes may be cut short`;
  return undefined;
}

/** Why a source cannot be read in parts without that being seen. */
export function whyNotDivided<T>(topology: Topology<T>, at: T): string | undefined {
  const told = whoIsTold(topology, at);
  return told === undefined ? undefined : `'${told}' is told the numbers of its elements`;
}

/** Why a change to `at` would be seen in what comes out, or cannot be made at all; undefined where it can. */
export function whyUnsound<T>(topology: Topology<T>, at: T, action: Action): string | undefined {
  const { sequential, divisible, removable, cache, concurrency } = topology.operatorOf(at);
  switch (action.kind) {
    case 'parallelism':
      return sequential && (action.to ?? 1) > 1 ? 'it sees all elements in order' : undefined;
    case 'concurrency':
      return concurrency === undefined ? 'it makes no async calls' : undefined;
    case 'prefetch':
      return undefined;
    case 'cache':
      return whyNotKept(topology, at);
    case 'divide':
      return divisible === true ? whyNotDivided(topology, at) : 'it is no source that can be read in parts';
    case 'remove':
      return removable === true || cache !== undefined ? undefined : 'it is no prefetch or cache';
  }
}

/** An operator that is told the numbers that elements have when they leave `at`: downstream of it, up to where they are renumbered. */
function whoIsTold<T>(topology: Topology<T>, at: T): string | undefined {
  const reached = new Set([at]);
  for (const node of topology.nodes) {
    if (!topology.inputs(node).some(input => reached.has(input))) continue;
    const { id, context } = topology.operatorOf(node);
    if (context === true) return id;
    if (!topology.isOrigin(node)) reached.add(node);
  }
  return undefined;
}

/** The operator between `at` and where its elements are numbered that makes the k-th of them not number k. */
function renumberingUpTo<T>(topology: Topology<T>, at: T): string | undefined {
  for (let node: T | undefined = at; node !== undefined && !topology.isOrigin(node); node = topology.inputs(node)[0]) {
    const operator = topology.operatorOf(node);
    if (!isCountedAlike(operator)) return operator.id;
  }
  return undefined;
}

/** Elements leave it in the order and number in which they arrive. */
const isCountedAlike = ({ elements, keepsOrder }: Operator): boolean => elements === 'same' && keepsOrder;
