import type { AttributedSample } from './attributed-samples.ts';

/** A sample of perf with its owner. */
export interface PerfSample extends AttributedSample {
  readonly event: number;
  readonly weight: number;
  readonly address: number;
  readonly native: readonly [name: string, file: string] | undefined;
}
