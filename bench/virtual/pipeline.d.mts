import type { METRICS } from '../../src/model/metric.ts';
import type { Line, VirtualClock } from '../../src/simulation/index.ts';
import type { createRun, openLane } from '../../src/store/index.ts';

export interface VirtualResult {
  readonly folder: string;
  /** Of virtual time. */
  readonly seconds: number;
  readonly elements: number;
  readonly rate: number;
  readonly cpuSeconds: number;
}

/** A pipeline as the comment in the module describes it. */
export type VirtualDescription = Readonly<Record<string, unknown>>;

export function runVirtually(
  folder: string,
  description: VirtualDescription,
  library: {
    readonly VirtualClock: typeof VirtualClock;
    readonly Line: typeof Line;
    readonly createRun: typeof createRun;
    readonly openLane: typeof openLane;
    readonly METRICS: typeof METRICS;
  },
): VirtualResult;
