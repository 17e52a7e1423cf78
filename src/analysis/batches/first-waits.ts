import { type Ns, ns } from '../../model/units.ts';
import type { PassSummary } from './pass.ts';

/** The waits for the first batches of passes, and what of them is not the preparation of these batches: workers' start, mostly. */
export interface FirstWaits {
  readonly firstWait: Ns;
  readonly start: Ns;
}

/**
 * As far as they come again. What only the first pass of a process waits for is done once: imports of workers that persist, a cache that
 * is filled. Of a single pass nothing is known.
 */
export function recurringFirstWaits(passes: readonly PassSummary[]): FirstWaits {
  let [firstWait, start] = [0, 0];
  for (const consumer of new Set(passes.map(pass => pass.consumer))) {
    const [first, ...later] = passes.filter(pass => pass.consumer === consumer);
    const longest = Math.max(0, ...later.map(pass => pass.firstWait));
    for (const pass of first === undefined ? [] : [first, ...later]) {
      const wait = Math.min(pass.firstWait, longest);
      firstWait += wait;
      start += Math.max(0, wait - pass.evidence.preparationPerBatch);
    }
  }
  return { firstWait: ns(firstWait), start: ns(start) };
}
