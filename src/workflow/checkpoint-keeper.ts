import type { Run } from '../engine/contract/run.ts';
import { writeCheckpoint } from '../engine/runtime/checkpoint/checkpoint-file.ts';
import type { Warning } from '../model/warnings.ts';

const EVERY_SECONDS = 30;

/** Saves a run into a file from time to time, and once more when it has ended. */
export class CheckpointKeeper {
  readonly #run: Run<unknown>;
  readonly #path: string;
  readonly #timer: NodeJS.Timeout;
  #saving: Promise<void> = Promise.resolve();
  #warned = false;

  constructor(
    run: Run<unknown>,
    path: string,
    options: { readonly everySeconds?: number | undefined; onWarning?(warning: Warning): void },
  ) {
    this.#run = run;
    this.#path = path;
    const keep = (): void => {
      this.#saving = this.#saving.then(() => this.#save()).catch(error => this.#warn(error, options));
    };
    this.#timer = setInterval(keep, (options.everySeconds ?? EVERY_SECONDS) * 1000).unref();
  }

  async #save(): Promise<void> {
    writeCheckpoint(this.#path, await this.#run.save());
  }

  /** A disk that is full for a while is no reason to give the run up. */
  #warn(error: unknown, { onWarning }: { onWarning?(warning: Warning): void }): void {
    if (this.#warned) return;
    this.#warned = true;
    const message = `The run could not be saved: ${error instanceof Error ? error.message : String(error)}`;
    onWarning?.({ code: 'VENTURI_WARN_CHECKPOINT_UNSAVED', message });
  }

  /** The run has ended: this is where. */
  async end(): Promise<void> {
    clearInterval(this.#timer);
    await this.#saving;
    await this.#save();
  }
}
