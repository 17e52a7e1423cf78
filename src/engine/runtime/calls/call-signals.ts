import { setMaxListeners } from 'node:events';

/** The signal of a run or of a call. Any number of listeners may wait for it, so that Node's count of listeners, which is to find leaks, finds none. */
export function runController(): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
}

/**
 * A signal for each call of an async function, aborted when the run stops while the call is under way. Whoever is handed a signal listens to
 * it, and fetch goes on listening until the collector finds its request: with one signal for all calls a thousand listeners pile up, every
 * call looks through them, and Node warns of each.
 */
export class CallSignals {
  readonly #run: AbortSignal;
  readonly #underWay = new Set<AbortController>();

  constructor(run: AbortSignal) {
    this.#run = run;
    run.addEventListener('abort', () => {
      for (const controller of this.#underWay) controller.abort(run.reason);
    });
  }

  open(): CallSignal {
    return new CallSignal(this.#run, this.#underWay);
  }
}

/** Of one call. Made when it is first asked for: most functions do not. */
class CallSignal {
  readonly #run: AbortSignal;
  readonly #underWay: Set<AbortController>;
  #controller: AbortController | undefined;

  constructor(run: AbortSignal, underWay: Set<AbortController>) {
    this.#run = run;
    this.#underWay = underWay;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = runController();
      if (this.#run.aborted) this.#controller.abort(this.#run.reason);
      else this.#underWay.add(this.#controller);
    }
    return this.#controller.signal;
  }

  close(): void {
    if (this.#controller !== undefined) this.#underWay.delete(this.#controller);
  }
}
