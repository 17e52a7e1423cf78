/** Time, ms, that a thread works before timers, messages, finalizers and errors that nobody caught get their turn. */
const BREATH_MS = 10;

/** Lets the event loop of a thread turn now and then, where neither its source nor its functions ever wait. */
export class Breath {
  #last = performance.now();

  /** Resolves after a turn; undefined while it is too early for one. */
  take(): Promise<void> | undefined {
    if (performance.now() < this.#last + BREATH_MS) return undefined;
    return new Promise(resolve => {
      setImmediate(() => {
        this.#last = performance.now();
        resolve();
      });
    });
  }
}
