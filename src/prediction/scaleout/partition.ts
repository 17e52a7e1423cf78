import { least } from '../../math/totals.ts';
import type { Partition } from './cluster.ts';
import { DOWNLINK, type StepGraph, UPLINK } from './step.ts';

/** By parameter: its server. */
export function serversOf(graph: StepGraph, partition: Partition, servers: number): Int32Array {
  const { recordedServers } = graph;
  const bytes = parameterBytes(graph);
  const numbers = [...recordedServers.keys()];
  switch (partition) {
    case 'recorded':
      return Int32Array.from(recordedServers, server => server % servers);
    case 'round-robin':
      return Int32Array.from(numbers, number => number % servers);
    case 'greedy':
      return leastLoaded(numbers, bytes, servers);
    case 'balanced':
      return leastLoaded(
        numbers.sort((a, b) => (bytes[b] as number) - (bytes[a] as number) || a - b),
        bytes,
        servers,
      );
  }
}

/** By parameter: its bytes, or those of its gradient where these are more. */
export function parameterBytes({ parameters, resources, bytes, recordedServers }: StepGraph): Float64Array {
  const down = new Float64Array(recordedServers.length);
  const up = new Float64Array(recordedServers.length);
  for (const [op, parameter] of parameters.entries()) {
    if (parameter < 0) continue;
    const sum = resources[op] === DOWNLINK ? down : resources[op] === UPLINK ? up : undefined;
    if (sum !== undefined) sum[parameter] = (sum[parameter] as number) + (bytes[op] ?? 0);
  }
  return down.map((own, parameter) => Math.max(own, up[parameter] as number));
}

/** Each parameter in turn goes to the server that has the fewest bytes so far. */
function leastLoaded(parameters: readonly number[], bytes: Float64Array, servers: number): Int32Array {
  const assigned = new Int32Array(bytes.length);
  const loads = new Float64Array(servers);
  for (const parameter of parameters) {
    const server = loads.indexOf(least(loads));
    assigned[parameter] = server;
    loads[server] = (loads[server] as number) + (bytes[parameter] as number);
  }
  return assigned;
}
