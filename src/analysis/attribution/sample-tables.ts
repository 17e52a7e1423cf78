import { entryOf } from '../../math/groups.ts';
import { REASONS, type Reason } from './span-meaning.ts';
import type { JoinedSamples, Owner } from './thread-join.ts';

/** Hits and events, by event number: hits at 2n, events at 2n + 1. */
export type Tally = Float64Array;

/** Counts of one owner: in total, and by symbol. */
export interface OwnerTally {
  readonly all: Tally;
  readonly symbols: Map<number, Tally>;
}

/** Sums of samples by owner and symbol. Memory is proportional to the number of symbols, not of samples. */
export class SampleTables implements JoinedSamples {
  readonly operators = new Map<string, OwnerTally>();
  readonly reasons = new Map<Reason, OwnerTally>();
  readonly #width: number;

  /** `events`: how many are known by name; all others share the number after them. */
  constructor(events: number) {
    this.#width = 2 * (events + 1);
  }

  /** `hits`: how many samples it stands for. */
  add(owner: Owner, symbol: number, event: number, weight: number, hits = 1): void {
    const tally = 'operator' in owner ? this.#of(this.operators, owner.operator) : this.#of(this.reasons, owner.reason);
    count(tally.all, event, weight, hits);
    const own = entryOf(tally.symbols, symbol, () => new Float64Array(this.#width));
    count(own, event, weight, hits);
  }

  /** Hits of an event, wherever they went. */
  hits(event: number): number {
    let sum = 0;
    for (const { all } of this.operators.values()) sum += all[2 * event] ?? 0;
    for (const { all } of this.reasons.values()) sum += all[2 * event] ?? 0;
    return sum;
  }

  reasonsMet(): Reason[] {
    return REASONS.filter(reason => this.reasons.has(reason));
  }

  #of<K>(owners: Map<K, OwnerTally>, key: K): OwnerTally {
    return entryOf(owners, key, () => ({ all: new Float64Array(this.#width), symbols: new Map() }));
  }
}

function count(tally: Tally, event: number, weight: number, hits: number): void {
  const at = Math.min(2 * event, tally.length - 2);
  tally[at] = (tally[at] ?? 0) + hits;
  tally[at + 1] = (tally[at + 1] ?? 0) + weight;
}
