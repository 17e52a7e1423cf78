import { median } from '../../math/statistics.ts';
import type { Cluster, Multiplexing, ParseOverhead, StepSettings } from './cluster.ts';
import { type CompiledSteps, compileSteps, withOverhead } from './compile.ts';
import { clusterOf } from './defaults.ts';
import { isLink, type ScaleoutProfile } from './step.ts';
import { type Reproduction, reproduce } from './stream-ends.ts';

/** WIN, α and β with which one worker's recording is reproduced best. */
export interface Fit {
  /** Bytes; Infinity where streams are best sent whole. */
  readonly window: number;
  readonly overhead: ParseOverhead;
  /** On the steps that were not fitted to. */
  readonly reproduction: Reproduction;
}

/** Steps that are fitted to, at most: α and β are two numbers, and each is tried on all of them. */
const FITTED_STEPS = 8;
/** Steps of the search for α and β are halved so often: down to 1/256. */
const HALVINGS = 8;

export interface FitRequest {
  readonly settings: StepSettings;
  /** Of the profiled link, bytes per second. */
  readonly bandwidth: number;
  readonly multiplexing: Multiplexing;
  readonly lanes: number;
}

/**
 * Fits on every other step, by the mean error of the ends of streams (C4). WIN is tried at powers of two between the smallest and the largest stream, and off; for
 * each of them α and β are looked for by a pattern search, in units of the transmission of a byte and of a usual message.
 */
export function fitOverhead(profile: ScaleoutProfile, request: FitRequest): Fit {
  const { settings, bandwidth, multiplexing, lanes } = request;
  const numbers = [...profile.steps.keys()];
  const even = numbers.filter(number => number % 2 === 0);
  const odd = numbers.filter(number => number % 2 === 1);
  const fitted = even.slice(0, FITTED_STEPS);
  const search = new Search(profile, settings, bandwidth, fitted, window =>
    clusterOf({ workers: 1, bandwidth, servers: settings.servers, window, multiplexing, lanes }),
  );
  const { window, overhead } = search.best();
  return { window, overhead, reproduction: search.reproduced(window, overhead, odd.length > 0 ? odd : even) };
}

interface Candidate {
  readonly window: number;
  readonly overhead: ParseOverhead;
  readonly error: number;
}

class Search {
  readonly #profile: ScaleoutProfile;
  /** Without ops that parse, which wait for the processor even where they take no time; and with them. */
  readonly #bare: CompiledSteps;
  readonly #parsing: CompiledSteps;
  readonly #steps: readonly number[];
  readonly #clusterFor: (window: number) => Cluster;
  readonly #sizes: readonly number[];
  /** Units of the search: transmission of a byte, and of the median message. */
  readonly #perByte: number;
  readonly #perMessage: number;

  constructor(
    profile: ScaleoutProfile,
    settings: StepSettings,
    bandwidth: number,
    steps: readonly number[],
    clusterFor: (window: number) => Cluster,
  ) {
    this.#profile = profile;
    this.#bare = compileSteps(profile, { ...settings, overhead: { perByte: 0, perMessage: 0 } });
    this.#parsing = compileSteps(profile, { ...settings, overhead: { perByte: 1, perMessage: 1 } });
    this.#steps = steps;
    this.#clusterFor = clusterFor;
    this.#sizes = profile.graphs.flatMap(({ resources, bytes }) =>
      bytes.filter((own, op) => isLink(resources[op] ?? 0) && own > 0),
    );
    this.#perByte = 1 / bandwidth;
    this.#perMessage = this.#sizes.length === 0 ? 0 : median(this.#sizes) / bandwidth;
  }

  best(): Candidate {
    const candidates = this.#windows().map(window => this.#bestOf(window));
    return candidates.reduce((best, other) => (other.error < best.error ? other : best));
  }

  reproduced(window: number, overhead: ParseOverhead, steps: readonly number[]): Reproduction {
    const isFree = overhead.perByte === 0 && overhead.perMessage === 0;
    const compiled = isFree ? this.#bare : withOverhead(this.#parsing, overhead);
    return reproduce(this.#profile, compiled, this.#clusterFor(window), steps);
  }

  #windows(): number[] {
    const windows = [Number.POSITIVE_INFINITY];
    const largest = this.#sizes.reduce((a, b) => Math.max(a, b), 0);
    const smallest = this.#sizes.reduce((a, b) => Math.min(a, b), largest);
    for (let window = 2 ** Math.ceil(Math.log2(smallest)); window < largest; window *= 2) windows.push(window);
    return windows;
  }

  /** Goes to the best neighbour; where none is better, the neighbours come nearer. */
  #bestOf(window: number): Candidate {
    let best = this.#candidate(window, { perByte: 0, perMessage: 0 });
    let step = 1;
    for (let halvings = 0; halvings < HALVINGS; ) {
      const next = this.#neighbours(best.overhead, step)
        .map(overhead => this.#candidate(window, overhead))
        .reduce((a, b) => (b.error < a.error ? b : a), best);
      if (next.error < best.error) best = next;
      else {
        step /= 2;
        halvings++;
      }
    }
    return best;
  }

  #neighbours({ perByte, perMessage }: ParseOverhead, step: number): ParseOverhead[] {
    const sides = [-1, 0, 1];
    return sides.flatMap(bytes =>
      sides.map(messages => ({
        perByte: Math.max(0, perByte + bytes * step * this.#perByte),
        perMessage: Math.max(0, perMessage + messages * step * this.#perMessage),
      })),
    );
  }

  #candidate(window: number, overhead: ParseOverhead): Candidate {
    return { window, overhead, error: this.reproduced(window, overhead, this.#steps).streams.mean };
  }
}
