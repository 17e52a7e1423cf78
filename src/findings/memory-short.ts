import { type Bytes, bytes, share } from '../model/units.ts';
import { byteSize } from '../report/format.ts';
import type { Definition } from './definition.ts';
import { gainTo } from './loader.ts';

/** More workers would be faster, and would not fit. */
export const memoryShort: Definition<{ readonly what: 'memory' | 'shared-memory'; readonly wanted: Bytes }> = {
  inLoader({ choice }) {
    const what = choice?.heldBackBy;
    if (choice === undefined || (what !== 'memory' && what !== 'shared-memory')) return undefined;
    const { sharedMemory, workers } = choice.most.memory;
    return {
      limits: false,
      cause: { type: 'hardware', resource: 'memory', full: share(1) },
      figures: { what, wanted: bytes(what === 'memory' ? sharedMemory + workers : sharedMemory) },
      gain: gainTo(choice.most.rate, choice),
    };
  },

  words: ({ figures: { what, wanted } }, { name }) => ({
    text: `More workers of ${name} would be faster, and want ${byteSize(wanted)} of ${what === 'memory' ? 'memory' : '/dev/shm'}, which is not there`,
    advice:
      what === 'memory'
        ? 'More memory, or less in each worker'
        : 'A larger /dev/shm: docker run --shm-size, or a mount of that size',
  }),
};
