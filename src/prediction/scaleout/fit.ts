import { CONFIDENCE, median, standardDeviation } from '../../math/statistics.ts';
import { studentQuantile } from '../../math/student.ts';
import type { Cluster, Multiplexing, ParseOverhead, StepSettings } from './cluster.ts';
import { type CompiledSteps, compileSteps, withOverhead } from './compile.ts';
import { clusterOf } from './defaults.ts';
import { inSendingOrder } from './sending-order.ts';
import { isLink, type ScaleoutProfile } from './step.ts';
import { errorsByStep, type RecordedStreams, type Reproduction, recordedStreams, reproduce } from './stream-ends.ts';

/** WIN of each direction, α and β with which one worker's recording is reproduced best. */
export interface Fit {
  /** Of streams from servers and of those to them, bytes; Infinity where they are best sent whole. */
  readonly window: number;
  readonly uplinkWindow: number;
  readonly overhead: ParseOverhead;
  /** On the steps that were not fitted to. */
  readonly reproduction: Reproduction;
}

/** Steps that are fitted to, at most: α and β are two numbers, and each is tried on all of them. */
const FITTED_STEPS = 8;
/** Bytes of a frame of HTTP/2, unless a peer allows larger ones (RFC 9113, SETTINGS_MAX_FRAME_SIZE): no stream is interrupted within one. */
const FRAME_BYTES = 2 ** 14;
/** Steps of the search for α and β, at least, in units of it. */
const LEAST_STEP = 2 ** -8;

export interface FitRequest {
  readonly settings: StepSettings;
  /** Of the profiled link, bytes per second. */
  readonly bandwidth: number;
  readonly multiplexing: Multiplexing;
  readonly lanes: number;
}

/**
 * Fits on every other step, by how far the ends of streams are off in the median step. WIN is tried at powers of two from a frame of HTTP/2 to the largest
 * stream, and off, the same in both directions; then another in one of them, since each receiver advertises its own. For each, α and β are looked for by a pattern
 * search, in units of the transmission of a byte and of a usual message. One window for both directions is preferred, and a large one to a small one, unless the best
 * is better by more than chance explains: by the interval of their difference over the steps.
 */
export function fitOverhead(profile: ScaleoutProfile, request: FitRequest): Fit {
  const even = profile.steps.filter((_, number) => number % 2 === 0);
  const odd = profile.steps.filter((_, number) => number % 2 === 1);
  const fitted = { ...profile, steps: even.slice(0, FITTED_STEPS) };
  // The ends tell in which order streams were sent once it is known about how long each is parsed.
  const { perByte } = new Search(fitted, request, undefined).parsed();
  const { windows, overhead } = new Search(fitted, request, perByte).best();
  const others = new Search({ ...profile, steps: odd.length > 0 ? odd : even }, request, overhead.perByte);
  return { ...windows, overhead, reproduction: others.reproduced(windows, overhead) };
}

type Windows = Pick<Fit, 'window' | 'uplinkWindow'>;

const WHOLE: Windows = { window: Number.POSITIVE_INFINITY, uplinkWindow: Number.POSITIVE_INFINITY };

interface Candidate {
  readonly windows: Windows;
  readonly overhead: ParseOverhead;
  /** By step. */
  readonly off: readonly number[];
  readonly error: number;
}

interface Compiled {
  readonly steps: CompiledSteps;
  /** By step; their rows are those of these compiled steps. */
  readonly streams: readonly RecordedStreams[];
}

/** Without ops that parse, which wait for the processor even where they take no time; and with them. */
interface Variants {
  readonly bare: Compiled;
  readonly parsing: Compiled;
}

class Search {
  readonly #profile: ScaleoutProfile;
  /** Of the windows that were tried last, which decide what the ends of streams say about their order. */
  #variants: { readonly windows: Windows; readonly of: Variants } | undefined;
  readonly #request: FitRequest;
  /** Seconds for which a byte is parsed, as far as that is known; undefined: streams are sent as they were asked for. */
  readonly #parsing: number | undefined;
  readonly #sizes: readonly number[];
  /** Units of the search: transmission of a byte, and of the median message. */
  readonly #perByte: number;
  readonly #perMessage: number;

  constructor(profile: ScaleoutProfile, request: FitRequest, parsing: number | undefined) {
    const { bandwidth } = request;
    this.#profile = profile;
    this.#request = request;
    this.#parsing = parsing;
    this.#sizes = profile.graphs.flatMap(({ resources, bytes }) =>
      bytes.filter((own, op) => isLink(resources[op] ?? 0) && own > 0),
    );
    this.#perByte = 1 / bandwidth;
    this.#perMessage = this.#sizes.length === 0 ? 0 : median(this.#sizes) / bandwidth;
  }

  /** The parsing with which streams that are sent whole end best. */
  parsed(): ParseOverhead {
    return this.#bestOf(WHOLE).overhead;
  }

  best(): Candidate {
    const sizes = this.#windows();
    const same = simplestOfBest(sizes.map(size => this.#bestOf({ window: size, uplinkWindow: size })));
    const others = sizes.filter(size => size !== same.windows.window);
    const up = others.map(uplinkWindow => this.#bestOf({ ...same.windows, uplinkWindow }));
    const down = others.map(window => this.#bestOf({ ...same.windows, window }));
    return [up, down].map(each => simplestOfBest([same, ...each])).reduce((a, b) => (b.error < a.error ? b : a));
  }

  reproduced(windows: Windows, overhead: ParseOverhead): Reproduction {
    return reproduce(this.#profile, this.#compiled(windows, overhead).steps, this.#cluster(windows), this.#choices());
  }

  #compiled(windows: Windows, overhead: ParseOverhead): Compiled {
    const { window, uplinkWindow } = this.#variants?.windows ?? {};
    if (this.#variants === undefined || window !== windows.window || uplinkWindow !== windows.uplinkWindow) {
      this.#variants = { windows, of: this.#variantsOf(windows) };
    }
    const { bare, parsing } = this.#variants.of;
    if (overhead.perByte === 0 && overhead.perMessage === 0) return bare;
    return { ...parsing, steps: withOverhead(parsing.steps, overhead) };
  }

  #variantsOf(windows: Windows): Variants {
    const { settings, bandwidth } = this.#request;
    const perByte = this.#parsing;
    const profile =
      perByte === undefined ? this.#profile : inSendingOrder(this.#profile, { bandwidth, ...windows, perByte });
    const compiled = (each: number): Compiled => {
      const steps = compileSteps(profile, { ...settings, overhead: { perByte: each, perMessage: each } });
      return { steps, streams: profile.steps.map((_, step) => recordedStreams(profile, steps, step)) };
    };
    return { bare: compiled(0), parsing: compiled(1) };
  }

  #cluster(windows: Windows): Cluster {
    const { settings, bandwidth, multiplexing, lanes } = this.#request;
    return clusterOf({ workers: 1, bandwidth, servers: settings.servers, ...windows, multiplexing, lanes });
  }

  #choices(): number[] {
    return [...this.#profile.steps.keys()];
  }

  /** The largest first. */
  #windows(): number[] {
    if (this.#request.multiplexing === 'whole') return [Number.POSITIVE_INFINITY];
    const windows: number[] = [];
    const largest = this.#sizes.reduce((a, b) => Math.max(a, b), 0);
    for (let window = FRAME_BYTES; window < largest; window *= 2) windows.push(window);
    return [Number.POSITIVE_INFINITY, ...windows.reverse()];
  }

  /** Goes to the best neighbour, and looks farther then; where none is better, the neighbours come nearer. Each point is tried once. */
  #bestOf(windows: Windows): Candidate {
    const tried = new Map<string, Candidate>();
    const candidate = (overhead: ParseOverhead): Candidate => {
      const key = `${overhead.perByte} ${overhead.perMessage}`;
      const known = tried.get(key) ?? this.#candidate(windows, overhead);
      tried.set(key, known);
      return known;
    };
    let best = candidate({ perByte: 0, perMessage: 0 });
    for (let step = 1; step >= LEAST_STEP; ) {
      const next = this.#neighbours(best.overhead, step)
        .map(candidate)
        .reduce((a, b) => (b.error < a.error ? b : a), best);
      step = next.error < best.error ? step * 2 : step / 2;
      best = next;
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

  #candidate(windows: Windows, overhead: ParseOverhead): Candidate {
    const { steps, streams } = this.#compiled(windows, overhead);
    const off = errorsByStep(streams, steps, this.#cluster(windows), this.#choices());
    return { windows, overhead, off, error: median(off) };
  }
}

/** The first that is no worse than the best by more than chance: candidates come from the simplest, and with smaller and smaller windows. */
function simplestOfBest(candidates: readonly Candidate[]): Candidate {
  const best = candidates.reduce((a, b) => (b.error < a.error ? b : a));
  return candidates.find(candidate => !isWorse(candidate, best)) ?? best;
}

function isWorse({ off }: Candidate, best: Candidate): boolean {
  const differences = off.map((own, step) => own - (best.off[step] ?? 0));
  const degrees = off.length - 1;
  const quantile = degrees < 1 ? 0 : studentQuantile((1 + CONFIDENCE) / 2, degrees);
  const chance = degrees < 1 ? 0 : (quantile * standardDeviation(differences)) / Math.sqrt(off.length);
  return median(differences) > chance;
}
