import type { Analysis } from '../../analysis/analysis.ts';
import type { Interval } from '../../math/statistics.ts';
import type { Graph, Operator } from '../../model/graph.ts';

/** A place where elements could be kept after the first pass. */
export interface CachePlace {
  readonly operator: string;
  readonly bytes: Interval;
  /** Operators that would have nothing to do any more. */
  readonly spares: ReadonlySet<string>;
}

/** These give other elements in every pass, or none twice. */
const RANDOM = new Set(['shuffle']);

const isRandom = ({ kind, settings }: Operator): boolean => RANDOM.has(kind) || settings.random === true;

/** Behind which operators everything would fit, with nothing random at or upstream of them. Upstream first. */
export function cachePlaces({ graph, sizes, rates }: Analysis, memory: number): CachePlace[] {
  const byId = new Map(graph.operators.map(operator => [operator.id, operator]));
  const tainted = new Set<string>();
  const isTainted = (id: string, seen: ReadonlySet<string> = new Set()): boolean => {
    const operator = byId.get(id);
    if (operator === undefined || seen.has(id)) return false;
    return isRandom(operator) || operator.inputs.some(input => isTainted(input, new Set([...seen, id])));
  };
  for (const { id } of graph.operators) if (isTainted(id)) tainted.add(id);
  return sizes.flatMap(({ id, bytes }) => {
    if (bytes === undefined || !(bytes.high <= memory) || tainted.has(id) || byId.get(id)?.kind === 'repeat') return [];
    return [{ operator: id, bytes, spares: sparedBy(graph, rates.root, id) }];
  });
}

/** What the root does not need once `cached` has all its elements: everything it reaches through there alone. */
function sparedBy(graph: Graph, root: string | undefined, cached: string): ReadonlySet<string> {
  const byId = new Map(graph.operators.map(operator => [operator.id, operator]));
  const needed = new Set<string>();
  const visit = (id: string): void => {
    if (needed.has(id)) return;
    needed.add(id);
    if (id !== cached) for (const input of byId.get(id)?.inputs ?? []) visit(input);
  };
  if (root !== undefined) visit(root);
  const spared = new Set(graph.operators.map(({ id }) => id).filter(id => !needed.has(id)));
  spared.add(cached);
  return spared;
}
