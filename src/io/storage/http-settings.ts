import { wholeNumber } from '../../model/option.ts';

export interface HttpOptions {
  /** Requests under way at once. 8 where absent. */
  readonly concurrency?: number;
  /** Bytes one request asks for. 4 MiB where absent. */
  readonly partBytes?: number;
  /** How often a request that brings nothing is repeated before the run fails. 5 where absent. */
  readonly retries?: number;
  /** A request that brings nothing for this long, or less than `minBytesPerSecond`, is given up and repeated. 30 s where absent. */
  readonly timeoutMs?: number;
  /** What a request has to bring in the mean over `timeoutMs`. 1000 where absent; 0: a single byte is enough. */
  readonly minBytesPerSecond?: number;
  /** Time that an object may take in all, with repetitions and what a server asks to wait. 1 h where absent. */
  readonly totalTimeoutMs?: number;
  /** A server that asks by Retry-After for more than this is not waited for as long as it asks. 2 min where absent. */
  readonly maxRetryAfterMs?: number;
  /**
   * Bytes that an object may have which is held whole. Where absent, `objects` takes half of the run's memory, and a quarter
   * where the server does not say how large an object is; `httpStorage` 512 MiB.
   */
  readonly maxObjectBytes?: number;
}

export type HttpSettings = Required<Omit<HttpOptions, 'maxObjectBytes'>> & Pick<HttpOptions, 'maxObjectBytes'>;

/** Bytes that an object held whole may have. */
export interface ObjectLimits {
  readonly most: number;
  /** Where its server does not say how many there will be: they are held twice while they are put together. */
  readonly mostUnsized: number;
}

const MOST_IN_STORAGE = 512 * 2 ** 20;

/** `budget`: the memory of the run, where it is known. */
export function objectLimits({ maxObjectBytes }: HttpSettings, budget?: number): ObjectLimits {
  if (maxObjectBytes !== undefined) return { most: maxObjectBytes, mostUnsized: maxObjectBytes };
  if (budget === undefined) return { most: MOST_IN_STORAGE, mostUnsized: MOST_IN_STORAGE };
  return { most: Math.floor(budget / 2), mostUnsized: Math.floor(budget / 4) };
}

/** Smaller requests spend more on asking than on answers. */
const LEAST_PART_BYTES = 64 * 1024;

/** The same, with no more under way at once than `bytes`: smaller parts first, then fewer of them. */
export function fitHttp(settings: HttpSettings, bytes: number): HttpSettings {
  const each = Math.floor(bytes / settings.concurrency);
  const partBytes = Math.min(settings.partBytes, Math.max(each, LEAST_PART_BYTES));
  return {
    ...settings,
    partBytes,
    concurrency: Math.max(1, Math.min(settings.concurrency, Math.floor(bytes / partBytes))),
  };
}

/** Timers count milliseconds in 31 bits; one set for longer would fire at once. */
const LONGEST_MS = 2 ** 31 - 1;

export function httpSettings(operator: string, options: HttpOptions): HttpSettings {
  const time = (option: 'timeoutMs' | 'totalTimeoutMs' | 'maxRetryAfterMs', unless: number, least: number): number =>
    Math.min(LONGEST_MS, wholeNumber(operator, option, options[option] ?? unless, least));
  const { maxObjectBytes } = options;
  return {
    concurrency: wholeNumber(operator, 'concurrency', options.concurrency ?? 8, 1),
    partBytes: wholeNumber(operator, 'partBytes', options.partBytes ?? 4 * 2 ** 20, 1),
    retries: wholeNumber(operator, 'retries', options.retries ?? 5, 0),
    timeoutMs: time('timeoutMs', 30_000, 1),
    minBytesPerSecond: wholeNumber(operator, 'minBytesPerSecond', options.minBytesPerSecond ?? 1000, 0),
    totalTimeoutMs: time('totalTimeoutMs', 3_600_000, 1),
    maxRetryAfterMs: time('maxRetryAfterMs', 120_000, 0),
    ...(maxObjectBytes === undefined
      ? {}
      : { maxObjectBytes: wholeNumber(operator, 'maxObjectBytes', maxObjectBytes, 1) }),
  };
}
