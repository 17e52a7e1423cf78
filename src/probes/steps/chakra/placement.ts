import { VenturiError } from '../../../model/errors.ts';
import type { ChakraNode } from './node.ts';

export interface Placement {
  /** µs. */
  readonly starts: number[];
  /** Nodes of each unit, in the order in which it does them. */
  readonly orders: readonly (readonly number[])[];
}

/** Starts of nodes that have none: each in the order in which they become ready, when its unit is free. */
export function placed(
  file: string,
  nodes: readonly ChakraNode[],
  waitsFor: readonly (readonly number[])[],
  units: readonly { readonly name: string }[],
): Placement {
  const dependents: number[][] = nodes.map(() => []);
  for (const [at, from] of waitsFor.entries()) for (const each of from) dependents[each]?.push(at);
  const left = Uint32Array.from(waitsFor, each => each.length);
  const ready = [...nodes.keys()].filter(at => left[at] === 0);
  const readyAt = new Float64Array(nodes.length);
  const free = new Map<string, number>();
  const orders = new Map<string, number[]>();
  const starts = new Array<number>(nodes.length).fill(0);
  for (let next = 0; next < ready.length; next++) {
    const at = ready[next] ?? 0;
    const unit = units[at]?.name ?? '';
    orders.set(unit, orders.get(unit) ?? []);
    orders.get(unit)?.push(at);
    const start = Math.max(readyAt[at] ?? 0, free.get(unit) ?? 0);
    const end = start + (nodes[at]?.duration ?? 0);
    starts[at] = start;
    free.set(unit, end);
    for (const dependent of dependents[at] ?? []) {
      readyAt[dependent] = Math.max(readyAt[dependent] ?? 0, end);
      left[dependent] = (left[dependent] ?? 0) - 1;
      if (left[dependent] === 0) ready.push(dependent);
    }
  }
  if (ready.length === nodes.length) return { starts, orders: [...orders.values()] };
  const waiting = nodes.find((_, at) => (left[at] ?? 0) > 0);
  const count = nodes.length - ready.length;
  const what = `${file}: ${count} of its ${nodes.length} nodes wait for each other in a circle, or for one that does`;
  throw new VenturiError('VENTURI_STEPS_CYCLIC', `${what}: node ${waiting?.id}, ${waiting?.name}, among them.`, {
    remedy: 'Convert the trace again with the newest chakra_converter, which removes such circles.',
  });
}
