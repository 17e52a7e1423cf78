import { type FSWatcher, watch } from 'node:fs';

/**
 * Tells when something in some folders has changed: by notice of the system, and by a timer where that gives none, as for
 * network file systems.
 */
export class FolderWatch {
  readonly #folders: readonly string[];
  readonly #restMs: number;
  readonly #everyMs: number;
  readonly #watchers = new Map<string, FSWatcher>();
  #hasChanged = false;
  #wake = (): void => undefined;

  /** It looks at most once in `restMs`, and at least once in `everyMs`. */
  constructor(folders: readonly string[], restMs: number, everyMs: number) {
    this.#folders = folders;
    this.#restMs = restMs;
    this.#everyMs = everyMs;
    this.#open();
  }

  /** Resolves when something has changed since the call before, when it is time to look anyway, or on abort. */
  async next(signal: AbortSignal | undefined): Promise<void> {
    await this.#pause(this.#restMs, signal);
    if (!this.#hasChanged) await this.#pause(this.#everyMs - this.#restMs, signal, true);
    this.#hasChanged = false;
    this.#open();
  }

  close(): void {
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  async #pause(ms: number, signal: AbortSignal | undefined, isWakeable = false): Promise<void> {
    if (signal?.aborted === true) return;
    let resume = (): void => undefined;
    const paused = new Promise<void>(resolve => {
      resume = resolve;
    });
    const timer = setTimeout(resume, ms);
    signal?.addEventListener('abort', resume);
    if (isWakeable) this.#wake = resume;
    await paused;
    clearTimeout(timer);
    signal?.removeEventListener('abort', resume);
    this.#wake = () => undefined;
  }

  /** A folder may come later, and the system may have no watch left to give: then the timer serves alone. */
  #open(): void {
    // Who looks that often anyway gains nothing by notices, and each takes time.
    if (this.#restMs >= this.#everyMs) return;
    for (const folder of this.#folders) {
      if (this.#watchers.has(folder)) continue;
      try {
        const watcher = watch(folder, () => {
          this.#hasChanged = true;
          this.#wake();
        });
        watcher.on('error', () => {
          watcher.close();
          this.#watchers.delete(folder);
        });
        this.#watchers.set(folder, watcher);
      } catch {
        // The timer serves.
      }
    }
  }
}
