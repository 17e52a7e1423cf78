import type { Owner } from './owner.ts';
import type { PerfSample } from './perf-sample.ts';

/** Which memory an owner's samples read or wrote, of events that tell addresses. */
export interface DataAddresses {
  readonly event: number;
  readonly name: string;
  readonly samples: number;
  /** Different pages of 4 KiB among them. */
  readonly pages: number;
  /** Bytes from the lowest address to the highest. */
  readonly span: number;
  /** Part of the samples of a thread that lie above the one before: 1 for a scan upwards, 0.5 for no order. */
  readonly ascending: number | undefined;
}

const PAGE = 4096;

/** Samples are expected thread by thread in the order of time. */
export function dataAddresses(all: readonly PerfSample[], nameOf: (owner: Owner) => string): DataAddresses[] {
  const groups = new Map<string, PerfSample[]>();
  for (const sample of all) {
    if (sample.address === 0) continue;
    const key = JSON.stringify([sample.event, nameOf(sample.owner)]);
    const group = groups.get(key) ?? [];
    group.push(sample);
    groups.set(key, group);
  }
  return [...groups.values()]
    .flatMap(group => {
      const [first] = group;
      if (first === undefined) return [];
      let [low, high, steps, up] = [first.address, first.address, 0, 0];
      for (const [at, { address, lane }] of group.entries()) {
        low = Math.min(low, address);
        high = Math.max(high, address);
        const before = group[at - 1];
        if (before === undefined || before.lane !== lane) continue;
        steps++;
        if (address > before.address) up++;
      }
      return {
        event: first.event,
        name: nameOf(first.owner),
        samples: group.length,
        pages: new Set(group.map(({ address }) => Math.floor(address / PAGE))).size,
        span: high - low,
        ascending: steps === 0 ? undefined : up / steps,
      };
    })
    .sort((a, b) => b.samples - a.samples);
}
