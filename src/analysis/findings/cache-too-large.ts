import { bytes, share } from '../../model/units.ts';
import { type Detector, narrowStage } from './narrow.ts';

/** A cache whose elements do not fit is filled and emptied in vain. */
export const cacheTooLarge: Detector<'cache-too-large'> = analysis => {
  const { graph, host, sizes, topology } = analysis;
  for (const operator of graph.operators) {
    // One in files may hold as much as the disk does.
    if (operator.cache?.in !== 'memory') continue;
    const size = sizes.find(({ id }) => id === operator.id)?.bytes;
    const memory = operator.cache.limit ?? host.memoryUsable;
    if (size === undefined || !(size.low > memory) || memory <= 0) continue;
    const vertex = topology.vertexOf(operator.id);
    const narrow = narrowStage(analysis)?.place.vertex;
    const limits =
      vertex !== undefined && narrow !== undefined && (narrow === vertex || topology.isDownstream(vertex, narrow));
    return {
      kind: 'cache-too-large',
      limits,
      cause: { type: 'hardware', resource: 'memory', full: share(1) },
      operators: [operator.id],
      figures: {
        bytes: bytes(size.estimate),
        bytesLow: bytes(size.low),
        bytesHigh: bytes(size.high),
        memory: bytes(memory),
      },
      fix: { type: 'advice' },
      gain: undefined,
      doubts: [],
    };
  }
  return undefined;
};
