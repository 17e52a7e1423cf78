import type { AttributedSample } from './attributed-samples.ts';
import type { EngineOwner } from './owner.ts';

/** ns an element that the line before an operator may take itself. It counts and reads the next element: a nanosecond or two, and what is charged to it of its neighbours. */
export const LEAD_NS = 7;

const isLead = ({ owner }: AttributedSample): boolean => owner.kind === 'engine' && owner.before !== undefined;

/**
 * Gives operators what V8 counts on the line before them. Code that V8 compiled into the loop may have no position, and then has that of the code
 * before it: half of the first operator's samples lay on the line that takes the next element. What is more than such a line may take itself goes to
 * the operator behind it. It stays on its line in the listing.
 */
export function withInherited(
  samples: readonly AttributedSample[],
  rowsOf: (operator: string) => number,
  nsPerSample: number,
): readonly AttributedSample[] {
  const leads = new Map<string, number>();
  for (const sample of samples) {
    if (!isLead(sample)) continue;
    const { before = '' } = sample.owner as EngineOwner;
    leads.set(before, (leads.get(before) ?? 0) + 1);
  }
  const parts = new Map(
    [...leads].map(([operator, hits]) => {
      const own = nsPerSample > 0 ? (LEAD_NS * rowsOf(operator)) / nsPerSample : hits;
      return [operator, Math.max(0, hits - own) / hits];
    }),
  );
  const seen = new Map<string, number>();
  return samples.map(sample => {
    if (!isLead(sample)) return sample;
    const { before: operator = '', line = 0 } = sample.owner as EngineOwner;
    const at = seen.get(operator) ?? 0;
    seen.set(operator, at + 1);
    const part = parts.get(operator) ?? 0;
    // Every so many-th sample, so that any range of time has its part.
    if (Math.floor((at + 1) * part) === Math.floor(at * part)) return sample;
    return { ...sample, owner: { kind: 'operator', operator, task: 'call', line, by: 'line' } };
  });
}
