import { Worker } from 'node:worker_threads';
import { unpackError } from '../../../errors/portable-error.ts';
import { describeThrown } from '../../../errors/thrown.ts';
import { WORKER_MARK } from '../../../io/storage/own-worker.ts';
import { VenturiError } from '../../../model/errors.ts';
import type { JournalEntry } from '../checkpoint/journal-entry.ts';
import { GRACE_MS, settles } from '../run/patience.ts';
import { HALT, type LaneMessage, type ThreadOrder } from './protocol.ts';
import { terminate } from './stuck-threads.ts';

/** How long functions may take to close what they opened when the run is complete: an upload, a flush. */
const CLOSING_MS = 60_000;
/** How long a lane that has finished may stay: timers and connections of the user's would keep it for ever. */
const LEAVE_MS = 200;

/** The threads of a run. Reports the first failure; knows when all are gone. */
export class Workers {
  readonly #workers = new Map<Worker, string>();
  readonly #failed: (error: Error) => void;
  /** Says who takes the place of a thread that died; nobody, where its work cannot be taken up. */
  readonly #replace: (order: ThreadOrder) => ThreadOrder | undefined;
  readonly #told: (entry: JournalEntry) => void;
  /** Clears away what a thread left that came to an end in the midst of its work. */
  readonly #clear: (thread: number) => void;
  readonly #allGone: Promise<void>;
  #resolveGone: () => void = () => undefined;
  #stopping = false;
  readonly #warnings: string[] = [];
  #lastDeath = '';
  replaced = 0;
  #holding = true;

  constructor(
    failed: (error: Error) => void,
    replace: (order: ThreadOrder) => ThreadOrder | undefined,
    told: (entry: JournalEntry) => void,
    clear: (thread: number) => void,
  ) {
    this.#clear = clear;
    this.#failed = failed;
    this.#replace = replace;
    this.#told = told;
    this.#allGone = new Promise(resolve => {
      this.#resolveGone = resolve;
    });
  }

  start(name: string, order: ThreadOrder): void {
    const worker = new Worker(new URL('./worker.js', import.meta.url), {
      name,
      workerData: { [WORKER_MARK]: true, order, name },
      execArgv: [],
    });
    this.#workers.set(worker, name);
    if (!this.#holding) worker.unref();
    const { threadId } = worker;
    let settled = false;
    let leaving: NodeJS.Timeout | undefined;
    worker.on('message', (message: LaneMessage) => {
      if (message.type === 'journal') {
        this.#told(message.entry);
        return;
      }
      if (message.type === 'stray') {
        this.#failed(unpackError(message.error));
        return;
      }
      if (message.type === 'warning') {
        this.#warnings.push(message.warning);
        return;
      }
      settled = true;
      leaving = setTimeout(() => void worker.terminate(), LEAVE_MS);
      if (message.type === 'failed') this.#failed(unpackError(message.error));
      else this.#warnings.push(...message.warnings);
    });
    worker.on('messageerror', error => this.#failed(error));
    let uncaught: Error | undefined;
    worker.on('error', error => {
      uncaught = error;
    });
    worker.on('exit', code => {
      clearTimeout(leaving);
      this.#workers.delete(worker);
      if (!settled) this.#clear(threadId);
      if (!settled && !this.#stopping) this.#died(name, order, died(name, uncaught, code));
      if (this.#workers.size === 0) this.#resolveGone();
    });
  }

  #died(name: string, order: ThreadOrder, error: VenturiError): void {
    const successor = this.#replace(order);
    if (successor === undefined) {
      this.#failed(error);
      return;
    }
    this.replaced++;
    this.#lastDeath = error.message;
    this.start(name, successor);
  }

  /** Whether the program goes on as long as threads do. */
  set holding(isHolding: boolean) {
    this.#holding = isHolding;
    for (const worker of this.#workers.keys()) {
      if (isHolding) worker.ref();
      else worker.unref();
    }
  }

  /** Has every thread look at the stop word. */
  halt(): void {
    for (const worker of this.#workers.keys()) worker.postMessage(HALT);
  }

  /** What its user should know. */
  get warnings(): readonly string[] {
    if (this.replaced === 0) return this.#warnings;
    const times =
      this.replaced === 1 ? 'A worker died and was replaced' : `${this.replaced} workers died and were replaced`;
    return [...this.#warnings, `${times}: ${this.#lastDeath}. What it had begun was done again.`];
  }

  /** Resolves when every thread has ended; those that do not are ended after a while. `doing`: what one of them is at. */
  async end(completed: boolean, doing: (name: string) => string | undefined): Promise<void> {
    this.#stopping = true;
    if (this.#workers.size === 0) return;
    if (await settles(this.#allGone, completed ? CLOSING_MS : GRACE_MS)) return;
    const late = [...this.#workers];
    for (const [, name] of late) {
      const what = doing(name);
      const at = what === undefined ? '' : `: ${what}`;
      this.#warnings.push(`The worker '${name}' did not stop in time and was ended${at}.`);
    }
    const stuck = await terminate(late.map(([worker]) => worker));
    if (stuck.length > 0) this.#warnings.push(`${stuck.length} of them could not: they wait inside the system.`);
  }
}

function died(name: string, error: Error | undefined, code?: number): VenturiError {
  const memory = (error as NodeJS.ErrnoException | undefined)?.code === 'ERR_WORKER_OUT_OF_MEMORY';
  const what = memory
    ? 'ran out of heap memory'
    : error === undefined
      ? `ended by process.exit(${code ?? 0})`
      : `ended by an error: ${describeThrown(error)}`;
  return new VenturiError('VENTURI_WORKER_DIED', `the worker '${name}' ${what}`, {
    cause: error,
    remedy: memory
      ? 'process fewer or smaller elements at a time, or give Node more heap with NODE_OPTIONS=--max-old-space-size'
      : 'look for process.exit() in the functions of this stage',
  });
}
