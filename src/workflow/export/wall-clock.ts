import { median } from '../../math/statistics.ts';
import { RECORD_KIND } from '../../model/record.ts';
import type { RunManifest } from '../../model/run.ts';
import type { RecordBlock } from '../../model/span.ts';

/** Pairs of a run's own clock and the wall clock, from its lanes; the manifest's are only good to a millisecond. */
export class WallClockFold {
  readonly #offsets: number[] = [];
  #moment = 0;

  block(block: RecordBlock, subjects: readonly string[]): void {
    for (let row = 0; row < block.count; row++) {
      const kind = block.kind[row];
      if (kind !== RECORD_KIND.clock && kind !== RECORD_KIND.clockValue) continue;
      if (subjects[block.subject[row] ?? -1] !== 'clock:realtime') continue;
      if (kind === RECORD_KIND.clock) this.#moment = block.start[row] ?? 0;
      else this.#offsets.push((block.start[row] ?? 0) - this.#moment);
    }
  }

  /** Unix time in ns at which the run began; undefined where nothing says so. */
  startOf({ clocks, start }: RunManifest): bigint | undefined {
    if (this.#offsets.length > 0) return BigInt(Math.round(median(this.#offsets)));
    const first = clocks.find(({ domain }) => domain === 'realtime');
    return first && BigInt(first.value) - (BigInt(first.monotonic) - BigInt(start));
  }
}
