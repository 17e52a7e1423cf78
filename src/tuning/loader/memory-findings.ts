import type { MemoryGrowth } from '../../analysis/batches/memory-growth.ts';
import type { LoaderFinding } from '../../model/loader-finding.ts';
import { bytes, NS_PER_SECOND, ns } from '../../model/units.ts';

const SECONDS_PER_HOUR = 3600;

/** Memory that grows for good, in the main process and in workers; `left` is what programs can still have, in bytes. */
export function memoryFindings(growths: readonly MemoryGrowth[], left: number): LoaderFinding[] {
  const growing = growths.flatMap(growth =>
    growth.perSecond === undefined ? [] : [{ ...growth, perSecond: growth.perSecond }],
  );
  // All of it comes out of the same memory.
  const together = growing.reduce((sum, { perSecond }) => sum + perSecond.estimate, 0);
  return growing.map(({ where, loader, processes, perSecond, perHundredBatches, isUnshared }) => ({
    kind: 'memory-growth',
    limits: false,
    cause: { type: 'software' },
    operators: [loader],
    doubts: [],
    gain: undefined,
    figures: {
      where,
      processes,
      perHour: bytes(perSecond.estimate * SECONDS_PER_HOUR),
      perHundredBatches: perHundredBatches && bytes(perHundredBatches.estimate),
      least: perHundredBatches && bytes(perHundredBatches.low),
      most: perHundredBatches && bytes(perHundredBatches.high),
      fullIn: left > 0 ? ns((left / together) * NS_PER_SECOND) : undefined,
      isUnshared,
    },
    fix: { type: 'advice' },
  }));
}
