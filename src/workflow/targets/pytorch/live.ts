import { RecentBatches } from '../../../analysis/batches/recent.ts';
import { machineOf } from '../../../model/host.ts';
import type { LiveFold } from '../target.ts';

/** What the loader does now that was asked last. */
export function liveProgram(): LiveFold {
  const batches = new RecentBatches();
  return {
    block: (block, subjects) => batches.block(block, subjects),
    advance: () => undefined,
    result: (manifest, nowNs) => {
      const loader = batches.now(nowNs, machineOf(manifest).coresUsable);
      return loader && { loader };
    },
  };
}
