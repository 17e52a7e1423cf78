import { wholeNumber } from '../api/pipeline.ts';

export interface HttpOptions {
  /** Requests under way at once. 8 where absent. */
  readonly concurrency?: number;
  /** Bytes one request asks for. 4 MiB where absent. */
  readonly partBytes?: number;
  /** How often a request that brings nothing is repeated before the run fails. 5 where absent. */
  readonly retries?: number;
  /** A request that brings nothing for this long is given up and repeated. 30 s where absent. */
  readonly timeoutMs?: number;
}

export type HttpSettings = Required<HttpOptions>;

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

export const httpSettings = (operator: string, options: HttpOptions): HttpSettings => ({
  concurrency: wholeNumber(operator, 'concurrency', options.concurrency ?? 8, 1),
  partBytes: wholeNumber(operator, 'partBytes', options.partBytes ?? 4 * 2 ** 20, 1),
  retries: wholeNumber(operator, 'retries', options.retries ?? 5, 0),
  timeoutMs: wholeNumber(operator, 'timeoutMs', options.timeoutMs ?? 30_000, 1),
});
