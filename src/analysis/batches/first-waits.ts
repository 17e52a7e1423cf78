import { type Ns, ns } from '../../model/units.ts';
import type { PassSummary } from './pass.ts';

/** Waits for the first batches of passes, and these without the preparation of the batch: the start of workers, mostly. */
export interface FirstWaits {
  readonly firstWait: Ns;
  readonly start: Ns;
}

/**
 * The part of first waits that recurs: the first pass of a process counts with no more than the longest of its later
 * ones, because imports of persistent workers and the filling of a cache are done once. A single pass counts as 0.
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
