import { setTimeout as sleep } from 'node:timers/promises';
import { VenturiError } from '../../model/errors.ts';
import { backoffMs } from './backoff.ts';
import { Gate } from './gate.ts';
import type { Address } from './http-address.ts';
import { BusyError, gaveUp, isBusy, refused } from './http-failure.ts';
import { type Answer, Connections } from './http-request.ts';
import type { HttpSettings } from './http-settings.ts';

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

  /** Calls `attempt` until it succeeds. Bytes that arrive are progress: after it the count of failures starts over. */
  async persist(address: Address, attempt: () => Promise<void>, progress: () => number): Promise<void> {
    for (let failures = 0; ; ) {
      const before = progress();
      try {
        await this.#gate.pass(attempt);
        return;
      } catch (error) {
        this.#signal.throwIfAborted();
        if (error instanceof VenturiError) throw error;
        failures = progress() > before ? 1 : failures + 1;
        if (failures > this.settings.retries) throw gaveUp(address, error, failures);
        const retryAfter = error instanceof BusyError ? error.retryAfterMs : undefined;
        await this.#patience.sleep(backoffMs(failures, retryAfter, this.#patience.random), this.#signal);
      }
    }
  }

  /** Asks for the bytes from `from` up to `to`: 206 with them, 200 with all, or 416 where there are none. */
  async get(address: Address, from: number, to: number): Promise<Answer> {
    const range = `bytes=${from}-${to - 1}`;
    const answer = await this.#connections.get(address, range, this.settings.timeoutMs, this.#signal);
    const { status, message } = answer;
    // Only an object without bytes has no byte 0.
    if (status === 200 || status === 206 || (status === 416 && from === 0)) return answer;
    if (!isBusy(status)) throw await refused(address, answer);
    message.resume();
    throw new BusyError(answer);
  }

  close(): void {
    this.#connections.close();
  }
}
