import { narrowStage } from '../analysis/bottleneck/narrow.ts';
import { type Bytes, bytes, share } from '../model/units.ts';
import { byteSize } from '../report/format.ts';
import type { Definition } from './definition.ts';

export interface Figures {
  readonly bytes: Bytes;
  readonly bytesLow: Bytes;
  readonly bytesHigh: Bytes;
  readonly memory: Bytes;
}

/** A cache whose elements do not fit is filled and emptied in vain. */
export const cacheTooLarge: Definition<Figures> = {
  inPipeline(analysis) {
    const { graph, host, sizes, topology } = analysis;
    for (const operator of graph.operators) {
      // One in files may hold as much as the disk does.
      if (operator.cache?.in !== 'memory') continue;
      const size = sizes.find(({ id }) => id === operator.id)?.bytes;
      const memory = operator.cache.limit ?? host.memoryUsable;
      if (size === undefined || !(size.low > memory) || memory <= 0) continue;
      const vertex = topology.vertexOf(operator.id);
      const narrow = narrowStage(analysis)?.place.vertex;
      return {
        limits:
          vertex !== undefined && narrow !== undefined && (narrow === vertex || topology.isDownstream(vertex, narrow)),
        cause: { type: 'hardware', resource: 'memory', full: share(1) },
        operators: [operator.id],
        figures: {
          bytes: bytes(size.estimate),
          bytesLow: bytes(size.low),
          bytesHigh: bytes(size.high),
          memory: bytes(memory),
        },
      };
    }
    return undefined;
  },

  words({ figures: { bytes: estimate, bytesLow, bytesHigh, memory } }, { name }) {
    const about = bytesHigh > bytesLow * 1.01 ? ` (${byteSize(bytesLow)} to ${byteSize(bytesHigh)})` : '';
    return {
      text: `The cache ${name} does not fit: its elements take ${byteSize(estimate)}${about}, and there are ${byteSize(memory)} of memory`,
      advice: `Move ${name} to where elements are smaller, leave it out, or give it ${byteSize(bytesHigh)}`,
    };
  },
};
