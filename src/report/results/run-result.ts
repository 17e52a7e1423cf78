import type { End } from '../../model/end.ts';
import type { RandomOperator } from '../../model/random-operator.ts';
import type { Warning } from '../../model/warnings.ts';

export interface RunResult {
  readonly schemaVersion: 1;
  readonly status: 'completed' | 'stopped' | 'interrupted';
  /** Those that came to an end: at the consumer, or in a sink. */
  readonly elements: number;
  /** How many at each end. */
  readonly ends: readonly (End & { readonly elements: number })[];
  readonly bytes: number;
  readonly seconds: number;
  readonly elementsPerSecond: number;
  readonly recording: string | undefined;
  readonly warnings: readonly Warning[];
  /** The operators that drew random numbers. */
  readonly random: readonly RandomOperator[];
}
