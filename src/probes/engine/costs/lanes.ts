import { Worker } from 'node:worker_threads';

/** Threads that do what is measured, and tell what it took. */
export class CostLanes {
  readonly #workers: readonly Worker[];
  /** Fails when a thread does. */
  readonly #failed: Promise<never>;

  constructor(count: number) {
    this.#workers = Array.from({ length: count }, () => new Worker(new URL('./thread.js', import.meta.url)));
    this.#failed = new Promise((_, reject) => {
      for (const worker of this.#workers) worker.once('error', reject);
    });
    // Whoever asks next is told.
    this.#failed.catch(() => undefined);
  }

  get count(): number {
    return this.#workers.length;
  }

  /** Has a thread do something (`thread.ts` lists what); a thread does one thing at a time. */
  ask<T>(at: number, task: { readonly kind: string }): Promise<T> {
    const worker = this.#workers[at];
    if (worker === undefined) throw new Error(`there is no thread ${at}`);
    const answer = new Promise<T>(resolve => worker.once('message', resolve));
    worker.postMessage(task);
    return Promise.race([answer, this.#failed]);
  }

  async close(): Promise<void> {
    await Promise.all(this.#workers.map(worker => worker.terminate()));
  }
}
