import type { MemoryGrowth } from '../../analysis/batches/memory-growth.ts';
import { SECONDS_PER_HOUR } from '../../model/units.ts';
import { byteSize, plural } from '../format.ts';
import type { Block } from '../tree.ts';

/** Growth of memory by process; nothing where there is none. */
export function memoryBlocks(growths: readonly MemoryGrowth[]): Block[] {
  const items = growths.flatMap(({ where, loader, processes, perSecond, perHundredBatches }) =>
    perSecond === undefined
      ? []
      : [
          {
            label:
              where === 'main' ? 'memory of the main process' : `memory of ${plural(processes, 'worker')} of ${loader}`,
            value: `+ ${byteSize(perSecond.estimate * SECONDS_PER_HOUR)} an hour`,
            note:
              perHundredBatches === undefined
                ? 'in the later half of the recording'
                : `${byteSize(perHundredBatches.estimate)} per 100 batches, in the later half of the recording`,
          },
        ],
  );
  return items.length === 0 ? [] : [{ type: 'facts', items }];
}
