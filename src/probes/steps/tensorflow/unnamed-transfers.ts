import { entryOf } from '../../../math/groups.ts';
import { partitionPoint } from '../../../math/partition-point.ts';
import { type NodeRun, nodeKey, runEnd } from './node-run.ts';

/** Timelines round moments to microseconds. */
const ROUNDING_NS = 1000n;

/** A tensor that a device needed from another one. */
interface Need {
  readonly device: string;
  readonly producer: string;
  /** When it was made. */
  readonly made: bigint;
  /** When the first node that reads it started. */
  read: bigint;
}

/**
 * Transfers that do not say which tensor they brought, as in timelines. A tensor is sent after it was made and is there before it is read: in
 * the order of those that were read first, each is bound to the first transfer since it was made that brought nothing else. If all can be bound
 * at all, they are, as intervals to points on a line.
 */
export class UnnamedTransfers {
  readonly #runs: readonly NodeRun[];
  /** By device, in order of start. */
  readonly #transfers = new Map<string, number[]>();
  readonly #needs = new Map<string, Need>();

  /** `runs`: in order of start. */
  constructor(runs: readonly NodeRun[]) {
    this.#runs = runs;
    for (const [at, { device, transfer }] of runs.entries()) {
      if (transfer?.kind !== 'receive' || transfer.producer !== undefined) continue;
      entryOf(this.#transfers, device, () => []).push(at);
    }
  }

  /** Notes what a node reads from another device; its key, or undefined where nothing was transferred into its device. */
  need({ device, start }: NodeRun, producer: string, made: bigint): string | undefined {
    if (!this.#transfers.has(device)) return undefined;
    const key = nodeKey(device, producer);
    const known = this.#needs.get(key);
    if (known === undefined) this.#needs.set(key, { device, producer, made, read: start });
    else if (start < known.read) known.read = start;
    return key;
  }

  /** Transfers by the keys of what they brought. */
  bound(): Map<string, number> {
    const bound = new Map<string, number>();
    const next = new Map(
      [...this.#transfers].map(([device, { length }]) => [device, Array.from({ length }, (_, at) => at)]),
    );
    const needs = [...this.#needs].sort(([, a], [, b]) => compare(a.read, b.read) || compare(a.made, b.made));
    for (const [key, { device, made, read }] of needs) {
      const [transfers, free] = [this.#transfers.get(device) ?? [], next.get(device) ?? []];
      const place = root(free, this.#firstSince(transfers, made - ROUNDING_NS));
      const at = transfers[place];
      const run = at === undefined ? undefined : this.#runs[at];
      if (at === undefined || run === undefined || runEnd(run) > read + ROUNDING_NS) continue;
      free[place] = place + 1;
      bound.set(key, at);
    }
    return bound;
  }

  /** Place of the first transfer that started at that moment or later. */
  #firstSince(transfers: readonly number[], moment: bigint): number {
    return partitionPoint(transfers.length, at => (this.#runs[transfers[at] ?? 0]?.start ?? 0n) < moment);
  }
}

const compare = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0);

/** Follows `next` to a place that is free, or past the last, and shortens the way for those who come later. */
function root(next: number[], from: number): number {
  let place = from;
  for (let further = next[place]; further !== undefined && further !== place; further = next[place]) {
    const beyond = next[further];
    if (beyond !== undefined) next[place] = beyond;
    place = further;
  }
  return place;
}
