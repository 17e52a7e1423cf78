import type { StopSignal } from '../workflow/attendant.ts';
import { EXIT } from './exit-codes.ts';

const SIGNALS: readonly StopSignal[] = ['SIGINT', 'SIGTERM'];
const EXIT_BY_SIGNAL: Readonly<Record<StopSignal, number>> = { SIGINT: EXIT.interrupted, SIGTERM: EXIT.terminated };

/** The part of the process that signals need. */
export interface SignalSource {
  on(signal: StopSignal, listener: () => void): unknown;
  off(signal: StopSignal, listener: () => void): unknown;
}

/**
 * Ctrl-C and SIGTERM while work is going on: the first asks it to stop in good order, the second leaves at once. Work that has an answer of
 * its own, such as passing them on to a program, takes them over.
 */
export class Interruption {
  readonly #controller = new AbortController();
  readonly #source: SignalSource;
  readonly #listeners: ReadonlyMap<StopSignal, () => void>;
  #received: StopSignal | undefined;
  #handle: ((signal: StopSignal) => void) | undefined;

  constructor(source: SignalSource, leave: (code: number) => void, say: (line: string) => void) {
    this.#source = source;
    const onSignal = (signal: StopSignal): void => {
      if (this.#handle !== undefined) {
        this.#handle(signal);
        return;
      }
      if (this.#received !== undefined) {
        leave(EXIT_BY_SIGNAL[signal]);
        return;
      }
      this.#received = signal;
      say(signal === 'SIGINT' ? 'stopping… (press Ctrl-C again to quit at once)' : 'stopping…');
      this.#controller.abort();
    };
    this.#listeners = new Map(SIGNALS.map(signal => [signal, () => onSignal(signal)]));
    for (const [signal, listener] of this.#listeners) source.on(signal, listener);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  handleBy(handle: (signal: StopSignal) => void): void {
    this.#handle = handle;
  }

  /** Exit code of work that was interrupted; undefined before. */
  get exitCode(): number | undefined {
    return this.#received === undefined ? undefined : EXIT_BY_SIGNAL[this.#received];
  }

  close(): void {
    for (const [signal, listener] of this.#listeners) this.#source.off(signal, listener);
  }
}
