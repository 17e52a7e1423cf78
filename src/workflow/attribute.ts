import { setImmediate } from 'node:timers/promises';
import { SampleAttribution } from '../analysis/attribution/attribution.ts';
import { type AttributionSummary, summariseAttribution } from '../analysis/attribution/summary.ts';
import { groupedBy } from '../math/groups.ts';
import type { LaneInfo } from '../model/span.ts';
import type { Run, RunSamples } from '../store/run-reader.ts';

export interface AttributeOptions {
  readonly durationNs: number;
  /** Moments of the run, ns since its start, between which samples count. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

/** Gives every sample of a run to the operator that was at work; undefined for a run without samples. */
export async function attributeSamples(
  run: Run,
  options: AttributeOptions,
  samples: RunSamples | undefined = run.samples,
): Promise<AttributionSummary | undefined> {
  if (samples === undefined || samples.lanes.length === 0) return undefined;
  const attribution = new SampleAttribution(options);
  const byThread = groupedBy(samples.lanes, ({ pid, tid }) => `${pid}/${tid}`);
  for (const lanes of byThread.values()) {
    const [{ pid, tid }] = lanes as [LaneInfo];
    const records = samples.records(lanes);
    const own = run.lanes.filter(lane => lane.pid === pid && lane.tid === tid);
    if (own.length > 0) attribution.thread(pid, run.records(own), records);
    else attribution.strangers(pid, pid === 0 ? 'otherProcess' : 'otherThread', records);
    await setImmediate();
  }
  return summariseAttribution(attribution);
}
