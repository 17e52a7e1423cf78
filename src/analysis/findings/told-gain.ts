import { isTold } from '../../math/told.ts';
import type { Gain } from '../../model/finding.ts';

/** A finding promises nothing where what it would gain may be anything: it says so instead. */
export const withToldGain = <F extends { readonly gain: Gain | undefined; readonly doubts: readonly unknown[] }>(
  finding: F,
): F =>
  finding.gain === undefined || isTold(finding.gain)
    ? finding
    : { ...finding, gain: undefined, doubts: [...finding.doubts, 'gain-untold'] };
