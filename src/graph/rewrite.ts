import type { Topology } from './topology.ts';

/** A node that reads from `inputs` instead. */
export type Rewire<T> = (node: T, inputs: readonly string[]) => T;

/** An operator between `at` and all that read from it. */
export const insertedAfter = <T>(topology: Topology<T>, at: T, made: T, rewire: Rewire<T>): readonly T[] =>
  topology.nodes.flatMap(node => (node === at ? [at, made] : [reconnected(topology, node, at, made, rewire)]));

/** The graph without `at`: its readers read from its input. Undefined where it has none. */
export function leftOut<T>(topology: Topology<T>, at: T, rewire: Rewire<T>): readonly T[] | undefined {
  const [input] = topology.inputs(at);
  if (input === undefined) return undefined;
  return topology.nodes.filter(node => node !== at).map(node => reconnected(topology, node, at, input, rewire));
}

/** The node, with `to` in place of `from` among its inputs. */
function reconnected<T>({ operatorOf }: Topology<T>, node: T, from: T, to: T, rewire: Rewire<T>): T {
  const { inputs } = operatorOf(node);
  const [before, after] = [operatorOf(from).id, operatorOf(to).id];
  return inputs.includes(before)
    ? rewire(
        node,
        inputs.map(input => (input === before ? after : input)),
      )
    : node;
}

/** `id`, or what tells it apart from those that are taken. */
export function freeId<T>(topology: Topology<T>, id: string): string {
  if (topology.at(id) === undefined) return id;
  let number = 2;
  while (topology.at(`${id}:${number}`) !== undefined) number++;
  return `${id}:${number}`;
}
