import type { Cluster } from './cluster.ts';
import type { Network } from './network.ts';
import type { Units } from './units.ts';

/** How much of each unit is used: bytes of links, seconds of all others, of all workers together. */
export class UnitUse {
  readonly #units: Units;
  readonly #network: Network;
  /** By unit: seconds begun. */
  readonly #begun: Float64Array;
  /** By unit: used when the window opened. */
  #before: Float64Array;

  constructor(units: Units, network: Network) {
    this.#units = units;
    this.#network = network;
    this.#begun = new Float64Array(units.count);
    this.#before = new Float64Array(units.count);
  }

  begin(unit: number, seconds: number): void {
    this.#begun[unit] = (this.#begun[unit] as number) + seconds;
  }

  /** From now on use is counted. `left`: by unit, seconds of what was begun that are still to come. */
  open(now: number, left: Float64Array): void {
    this.#before = this.#usedBy(now, left);
  }

  /** By unit: the part of its capacity that was used since. */
  since(from: number, to: number, left: Float64Array, cluster: Cluster): number[] {
    const used = this.#usedBy(to, left);
    return Array.from(
      used,
      (own, unit) => (own - (this.#before[unit] as number)) / (this.#capacityOf(unit, cluster) * (to - from)),
    );
  }

  #usedBy(now: number, left: Float64Array): Float64Array {
    return this.#begun.map((seconds, unit) =>
      this.#units.isLink(unit) ? this.#network.carried(now, unit) : seconds - (left[unit] as number),
    );
  }

  #capacityOf(unit: number, { workers, serverBandwidths, lanes }: Cluster): number {
    if (this.#units.isLink(unit)) return serverBandwidths[unit % this.#units.servers] ?? 0;
    if (unit === this.#units.collective) return 1;
    return unit === this.#units.worker ? workers * lanes : workers;
  }
}
