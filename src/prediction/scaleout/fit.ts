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
const FITTED_STEPS = 16;
/** Steps of the search for α and β are halved so often: to 1/256 of the transmission time. */
const HALVINGS = 8;
/** WIN and then α, β, so often. */
const ROUNDS = 3;

export interface FitRequest {
  readonly settings: StepSettings;
  /** Of the profiled link, bytes per second. */
  readonly bandwidth: number;
  readonly multiplexing: Multiplexing;
  readonly lanes: number;
}

/**
 * Fits on every other step, by the mean error of the ends of streams (C4). WIN is tried at powers of two between the smallest and the largest stream, and off; α and
 * β by a pattern search in units of the transmission time; both in turn, until neither gets better.
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
  search.fitOverhead();
  for (let round = 0; round < ROUNDS; round++) {
    const before = search.error;
    search.fitWindow();
    search.fitOverhead();
    if (search.error >= before) break;
  }
  return {
    window: search.window,
    overhead: search.overhead,
    reproduction: search.reproduction(odd.length > 0 ? odd : even),
  };
}

class Search {
  readonly #profile: ScaleoutProfile;
  /** Without ops that parse, which wait for the processor even where they take no time; and with them. */
  readonly #bare: CompiledSteps;
  readonly #parsing: CompiledSteps;
  readonly #steps: readonly number[];
  readonly #clusterFor: (window: number) => Cluster;
  readonly #sizes: readonly number[];
  /** Units of the search: a byte's transmission, and a mean message's. */
  readonly #perByte: number;
  readonly #perMessage: number;
  window = Number.POSITIVE_INFINITY;
  overhead: ParseOverhead = { perByte: 0, perMessage: 0 };
  error: number;

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
    const total = this.#sizes.reduce((sum, size) => sum + size, 0);
    this.#perByte = 1 / bandwidth;
    this.#perMessage = total / Math.max(1, this.#sizes.length) / bandwidth;
    this.error = this.#errorOf(this.window, this.overhead);
  }

  fitWindow(): void {
    const largest = Math.max(...this.#sizes);
    const candidates = [Number.POSITIVE_INFINITY];
    for (let window = 2 ** Math.floor(Math.log2(Math.min(...this.#sizes))); window < largest; window *= 2) {
      candidates.push(window);
    }
    for (const window of candidates) this.#try(window, this.overhead);
  }

  fitOverhead(): void {
    let step = 1 / 2;
    for (let halvings = 0; halvings < HALVINGS; ) {
      const { perByte, perMessage } = this.overhead;
      const [bytes, messages] = [step * this.#perByte, step * this.#perMessage];
      const isBetter = [
        { perByte: perByte + bytes, perMessage },
        { perByte: Math.max(0, perByte - bytes), perMessage },
        { perByte, perMessage: perMessage + messages },
        { perByte, perMessage: Math.max(0, perMessage - messages) },
        { perByte: Math.max(0, perByte - bytes), perMessage: perMessage + messages },
        { perByte: perByte + bytes, perMessage: Math.max(0, perMessage - messages) },
      ].some(overhead => this.#try(this.window, overhead));
      if (isBetter) continue;
      step /= 2;
      halvings++;
    }
  }

  reproduction(steps: readonly number[]): Reproduction {
    return this.#reproduced(this.window, this.overhead, steps);
  }

  /** Keeps what is better. */
  #try(window: number, overhead: ParseOverhead): boolean {
    const error = this.#errorOf(window, overhead);
    if (!(error < this.error)) return false;
    this.error = error;
    this.window = window;
    this.overhead = overhead;
    return true;
  }

  #errorOf(window: number, overhead: ParseOverhead): number {
    return this.#reproduced(window, overhead, this.#steps).streams.mean;
  }

  #reproduced(window: number, overhead: ParseOverhead, steps: readonly number[]): Reproduction {
    const isFree = overhead.perByte === 0 && overhead.perMessage === 0;
    const compiled = isFree ? this.#bare : withOverhead(this.#parsing, overhead);
    return reproduce(this.#profile, compiled, this.#clusterFor(window), steps);
  }
}
