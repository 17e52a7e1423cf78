import { entryOf } from '../../math/groups.ts';
import { DOWNLINK, SERVER, type StepGraph, UPLINK } from './step.ts';
import { topologicalOrder } from './topology.ts';

/**
 * Which parameter each op transmits or updates. A trace does not say, so: every tensor that is received is a parameter; a gradient
 * belongs to the parameter of its size on its server, the last received first, because backward goes back; an
 * update belongs to the gradient it waits for. What fits none is a parameter of its own.
 */
export function parametersOf(
  graph: Pick<StepGraph, 'names' | 'resources' | 'bytes' | 'offsets' | 'dependents'>,
  servers: readonly number[],
): Pick<StepGraph, 'parameters' | 'recordedServers'> {
  const parameters = graph.resources.map(() => -1);
  const recordedServers: number[] = [];
  /** Parameters without a gradient yet, by server and size. */
  const open = new Map<string, number[]>();
  const key = (op: number): string => `${servers[op]} ${graph.bytes[op]}`;
  const add = (op: number): number => recordedServers.push(servers[op] ?? 0) - 1;
  for (const [op, resource] of graph.resources.entries()) {
    if (resource !== DOWNLINK) continue;
    const parameter = add(op);
    parameters[op] = parameter;
    entryOf(open, key(op), () => []).push(parameter);
  }
  for (const [op, resource] of graph.resources.entries()) {
    if (resource === UPLINK) parameters[op] = open.get(key(op))?.pop() ?? add(op);
  }
  for (const op of topologicalOrder(graph)) {
    const resource = graph.resources[op];
    if (resource !== UPLINK && resource !== SERVER) continue;
    for (const dependent of graph.dependents.slice(graph.offsets[op], graph.offsets[op + 1])) {
      if (graph.resources[dependent] === SERVER && parameters[dependent] === -1) {
        parameters[dependent] = parameters[op] ?? -1;
      }
    }
  }
  for (const [op, resource] of graph.resources.entries()) {
    if (resource === SERVER && parameters[op] === -1) parameters[op] = add(op);
  }
  return { parameters, recordedServers };
}
