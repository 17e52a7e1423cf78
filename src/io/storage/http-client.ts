import { setTimeout as sleep } from 'node:timers/promises';
import { VenturiError } from '../../model/errors.ts';
import { backoffMs } from './backoff.ts';
import { Gate } from './gate.ts';
import type { Address } from './http-address.ts';
import { BusyError, gaveUp, isBusy, refused, tookTooLong } from './http-failure.ts';
import { type Answer, Connections, passOver } from './http-request.ts';
import type { HttpSettings } from './http-settings.ts';
import { SlowError } from './pace.ts';
import { TimeLimit } from './time-limit.ts';

/** How a client waits before it tries again. */
export interface Patience {
  sleep(ms: number, signal: AbortSignal): Promise<unknown>;
  random(): number;
}

const PATIENCE: Patience = { sleep: (ms, signal) => sleep(ms, undefined, { signal }), random: Math.random };

/** Sends requests for ranges, a few at a time, and repeats those that fail for reasons that pass. */
export class HttpClient {
  readonly settings: HttpSettings;
  readonly #signal: AbortSignal;
  readonly #patience: Patience;
  readonly #connections = new Connections();
  readonly #gate: Gate;
  /** Called whenever bytes have arrived: what they arrived in is garbage then. */
  readonly arrived: () => void;

  constructor(
    settings: HttpSettings,
    signal: AbortSignal,
    patience: Patience = PATIENCE,
    arrived: () => void = () => undefined,
  ) {
    this.settings = settings;
    this.arrived = arrived;
    this.#signal = signal;
    this.#patience = patience;
    this.#gate = new Gate(settings.concurrency);
  }

  /** The time that one object may take. To be closed. */
  timeLimit(address: Address): TimeLimit {
    const { totalTimeoutMs } = this.settings;
    return new TimeLimit(totalTimeoutMs, this.#signal, () => tookTooLong(address, totalTimeoutMs));
  }

  /** Calls `attempt` until it succeeds. Bytes that arrive are progress: after it the count of failures starts over. */
  async persist(
    address: Address,
    limit: TimeLimit,
    attempt: () => Promise<void>,
    progress: () => number,
  ): Promise<void> {
    const { retries, maxRetryAfterMs } = this.settings;
    for (let failures = 0; ; ) {
      const before = progress();
      try {
        await this.#gate.pass(() => limit.during(attempt));
        return;
      } catch (error) {
        limit.signal.throwIfAborted();
        if (error instanceof VenturiError) throw error;
        failures = progress() > before && !(error instanceof SlowError) ? 1 : failures + 1;
        if (failures > retries) throw gaveUp(address, error, failures);
        const retryAfter = error instanceof BusyError ? error.retryAfterMs : undefined;
        const wait = backoffMs(failures, retryAfter, maxRetryAfterMs, this.#patience.random);
        await limit.during(() => this.#sleep(wait, limit.signal));
      }
    }
  }

  async #sleep(ms: number, signal: AbortSignal): Promise<void> {
    try {
      await this.#patience.sleep(ms, signal);
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    }
  }

  /** Inside an attempt: leaves its place to others until `wait` is over, and its clocks stand still. */
  async stepAside({ watch }: Answer, limit: TimeLimit, wait: Promise<void>): Promise<void> {
    watch.stop();
    await limit.except(() => this.#gate.stepOut(wait));
    watch.start();
  }

  /** Asks for the bytes from `from` up to `to`: 206 with them, 200 with all, or 416 where there are none. */
  async get(address: Address, from: number, to: number, signal: AbortSignal): Promise<Answer> {
    const range = `bytes=${from}-${to - 1}`;
    const answer = await this.#connections.get(address, range, this.settings, signal);
    const { status } = answer;
    // Only an object without bytes has no byte 0.
    if (status === 200 || status === 206 || (status === 416 && from === 0)) return answer;
    if (!isBusy(status)) throw await refused(address, answer);
    passOver(answer);
    throw new BusyError(answer);
  }

  close(): void {
    this.#connections.close();
  }
}
