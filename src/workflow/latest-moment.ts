import { RECORD_KIND } from '../model/record.ts';
import type { RunManifest } from '../model/run.ts';
import type { RecordBlock } from '../model/span.ts';

/** The last counter of a run: its end, where it has no final mark. */
export class LatestMoment {
  #ns = 0;

  block(block: RecordBlock): void {
    for (let at = 0; at < block.count; at++) {
      if (block.kind[at] === RECORD_KIND.counter) this.#ns = Math.max(this.#ns, block.start[at] ?? 0);
    }
  }

  /** How long the run took, ns. */
  endOf({ outcome, start }: RunManifest): number {
    return outcome === undefined ? this.#ns : Number(BigInt(outcome.monotonic) - BigInt(start));
  }
}
