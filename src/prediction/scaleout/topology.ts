import { VenturiError } from '../../model/errors.ts';
import type { StepGraph } from './step.ts';

type Edges = Pick<StepGraph, 'names' | 'offsets' | 'dependents'>;

/** Calls `visit` for each dependent of an op. */
export function eachDependent(graph: Edges, op: number, visit: (dependent: number) => void): void {
  const end = graph.offsets[op + 1] ?? 0;
  for (let at = graph.offsets[op] ?? 0; at < end; at++) visit(graph.dependents[at] ?? 0);
}

/** By op: the number of ops it waits for. */
function waitsOf(graph: Edges): Int32Array {
  const waits = new Int32Array(graph.names.length);
  for (const dependent of graph.dependents) waits[dependent] = (waits[dependent] as number) + 1;
  return waits;
}

/** Ops such that each comes after all it waits for; those that could come next in order of their number. */
export function topologicalOrder(graph: Edges): Int32Array {
  const count = graph.names.length;
  const waits = waitsOf(graph);
  const order = new Int32Array(count);
  let size = 0;
  for (let op = 0; op < count; op++) if (waits[op] === 0) order[size++] = op;
  for (let at = 0; at < size; at++) {
    eachDependent(graph, order[at] as number, dependent => {
      const left = (waits[dependent] as number) - 1;
      waits[dependent] = left;
      if (left === 0) order[size++] = dependent;
    });
  }
  if (size === count) return order;
  const stuck = waits.findIndex(left => left > 0);
  throw new VenturiError(
    'VENTURI_STEPS_CYCLIC',
    `${count - size} of ${count} ops of a step wait for each other in a circle, ${graph.names[stuck]} among them.`,
    { remedy: 'Correct the dependencies in the trace: no op can wait, however indirectly, for itself.' },
  );
}
