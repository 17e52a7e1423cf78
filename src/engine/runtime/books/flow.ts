import type { ChannelReading } from '../../contract/run.ts';

const COUNT = 0;
const SUM = 1;
const FULL_COUNT = 2;
const FULL_SUM = 3;
const TRANSPORT = 4;
const BYTES = 5;
const IN_PARTS = 6;
const BYTES_IN_PARTS = 7;
const LARGEST_IN_PARTS = 8;
export const FLOW_WORDS = 9;

/**
 * What one lane did to a channel: how often, and the sum of the moments. Lanes share nothing; put together,
 *
 *     ∫ occupancy dt up to T = Σ released − Σ committed + (committed − released) · T
 *
 * is exact at any T, and so is the time the channel was full, from the moments it became so and ceased to be.
 */
export class Flow {
  readonly #words: Float64Array;

  constructor(words: Float64Array = new Float64Array(FLOW_WORDS)) {
    this.#words = words;
  }

  /** A chunk of so many bytes, or a part of one. `full`: the channel became full by it, or stopped being so. */
  add(moment: number, bytes: number, full: boolean): void {
    const words = this.#words;
    words[COUNT] = (words[COUNT] ?? 0) + 1;
    words[BYTES] = (words[BYTES] ?? 0) + bytes;
    words[SUM] = (words[SUM] ?? 0) + moment;
    if (!full) return;
    words[FULL_COUNT] = (words[FULL_COUNT] ?? 0) + 1;
    words[FULL_SUM] = (words[FULL_SUM] ?? 0) + moment;
  }

  /** A chunk that could not be cut smaller was too large to pass whole: of its parts `add` was told. */
  wentInParts(bytes: number): void {
    const words = this.#words;
    words[IN_PARTS] = (words[IN_PARTS] ?? 0) + 1;
    words[BYTES_IN_PARTS] = (words[BYTES_IN_PARTS] ?? 0) + bytes;
    words[LARGEST_IN_PARTS] = Math.max(words[LARGEST_IN_PARTS] ?? 0, bytes);
  }

  /** Waiting for bandwidth took `ns`. */
  transported(ns: number): void {
    this.#words[TRANSPORT] = (this.#words[TRANSPORT] ?? 0) + ns;
  }

  static reading(id: string, committed: readonly Flow[], released: readonly Flow[], now: number): ChannelReading {
    const sum = (flows: readonly Flow[], word: number): number =>
      flows.reduce((total, flow) => total + (flow.#words[word] ?? 0), 0);
    const integral = (count: number, moments: number): number =>
      Math.max(
        0,
        sum(released, moments) - sum(committed, moments) + (sum(committed, count) - sum(released, count)) * now,
      );
    return {
      id,
      queued: Math.max(0, sum(committed, COUNT) - sum(released, COUNT)),
      occupancy: integral(COUNT, SUM),
      saturated: integral(FULL_COUNT, FULL_SUM),
      transport: sum(committed, TRANSPORT),
      chunks: sum(committed, COUNT),
      bytes: sum(committed, BYTES),
      inParts: {
        chunks: sum(committed, IN_PARTS),
        bytes: sum(committed, BYTES_IN_PARTS),
        largest: Math.max(0, ...committed.map(flow => flow.#words[LARGEST_IN_PARTS] ?? 0)),
      },
    };
  }
}
