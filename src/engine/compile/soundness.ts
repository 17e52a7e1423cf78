import { operatorKind } from '../operators/registry.ts';
import type { PlacedNode } from './graph.ts';
import { policyOf, takesContext } from './node.ts';
import type { Topology } from './topology.ts';

/**
 * Why the elements that leave `at` cannot be kept from pass to pass without that being seen; undefined where they can.
 * Random numbers from outside the engine are not looked for here: whoever plans a cache has watched for them.
 * `without`: as if this cache were not there.
 */
export function whyNotKept(topology: Topology, at: PlacedNode, without?: PlacedNode): string | undefined {
  const upstream = [...topology.upstream(at), at];
  for (const placed of upstream) {
    const { kind, random } = placed.node;
    if (operatorKind(kind).draws === true || random === true) return `'${placed.id}' is random`;
    if (kind === 'repeat') return `'${placed.id}' makes several passes one`;
    if (takesContext(placed.node) && random !== false) {
      return `'${placed.id}' is told its element's number and pass, and may give something else in another pass`;
    }
  }
  if (isSilent(at)) return 'nothing ever does';
  const told = whoIsTold(topology, without ?? at);
  if (told === undefined) return undefined;
  const renumbering = renumberingUpTo(topology, at);
  if (renumbering !== undefined) {
    return `'${told.id}' is told the numbers of its elements, and behind '${renumbering.id}' a cache would give them others`;
  }
  if (topology.isCut(at)) return `'${told.id}' is told the numbers of its elements, and passes may be cut short`;
  return undefined;
}

/** Why a source cannot be read in parts without that being seen. */
export function whyNotDivided(topology: Topology, at: PlacedNode): string | undefined {
  const told = whoIsTold(topology, at);
  return told === undefined ? undefined : `'${told.id}' is told the numbers of its elements`;
}

const isSilent = ({ node }: PlacedNode): boolean => node.kind === 'forEach' || operatorKind(node.kind).silent === true;

/** Someone who learns the numbers that elements have when they leave `at`: downstream of it, up to where they are numbered anew. */
function whoIsTold(topology: Topology, at: PlacedNode): PlacedNode | undefined {
  const reached = new Set([at]);
  for (const placed of topology.nodes) {
    if (!topology.inputs(placed).some(input => reached.has(input))) continue;
    if (takesContext(placed.node) || placed.node.kind === 'interleave') return placed;
    if (!topology.isOrigin(placed)) reached.add(placed);
  }
  return undefined;
}

/** Elements leave these in the order and number in which they arrive. */
const COUNTED_ALIKE = new Set(['map', 'prefetch', 'transport']);

/** The operator between `at` and where its elements are numbered that makes the k-th of them not number k. */
function renumberingUpTo(topology: Topology, at: PlacedNode): PlacedNode | undefined {
  for (let placed: PlacedNode | undefined = at; placed !== undefined; placed = topology.inputs(placed)[0]) {
    if (topology.isOrigin(placed)) return undefined;
    const { kind } = placed.node;
    if (!COUNTED_ALIKE.has(kind) || policyOf(placed.node)?.skip === true) return placed;
  }
  return undefined;
}
