import { Worker } from 'node:worker_threads';
import { VenturiError } from '../../model/errors.ts';
import { unpackError } from './failure.ts';
import { type LaneMessage, type LaneOrder, WORKER_MARK } from './protocol.ts';

/** How long a lane may go on with the element it has when the run is stopped. */
const GRACE_MS = 5_000;
/** How long functions may take to close what they opened when the run is complete: an upload, a flush. */
const CLOSING_MS = 60_000;
/** How long a lane that has finished may stay: timers and connections of the user's would keep it for ever. */
const LEAVE_MS = 200;

/** The threads of a run. Reports the first failure; knows when all are gone. */
export class Workers {
  readonly #workers = new Map<Worker, string>();
  readonly #failed: (error: Error) => void;
  readonly #allGone: Promise<void>;
  #resolveGone: () => void = () => undefined;
  #stopping = false;
  readonly warnings: string[] = [];

  constructor(failed: (error: Error) => void) {
    this.#failed = failed;
    this.#allGone = new Promise(resolve => {
      this.#resolveGone = resolve;
    });
  }

  start(name: string, order: LaneOrder): void {
    const worker = new Worker(new URL('./worker.js', import.meta.url), {
      name,
      workerData: { [WORKER_MARK]: true, order },
      execArgv: [],
    });
    this.#workers.set(worker, name);
    let settled = false;
    let leaving: NodeJS.Timeout | undefined;
    worker.on('message', (message: LaneMessage) => {
      settled = true;
      leaving = setTimeout(() => void worker.terminate(), LEAVE_MS);
      if (message.type === 'failed') this.#failed(unpackError(message.error));
      else this.warnings.push(...message.warnings);
    });
    worker.on('messageerror', error => this.#failed(error));
    worker.on('error', error => {
      settled = true;
      this.#failed(died(name, error));
    });
    worker.on('exit', code => {
      clearTimeout(leaving);
      if (!settled && !this.#stopping) this.#failed(died(name, undefined, code));
      this.#workers.delete(worker);
      if (this.#workers.size === 0) this.#resolveGone();
    });
  }

  /** Resolves when every thread has ended; those that do not are ended after a while. */
  async end(completed: boolean): Promise<void> {
    this.#stopping = true;
    if (this.#workers.size === 0) return;
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<'late'>(resolve => {
      timer = setTimeout(() => resolve('late'), completed ? CLOSING_MS : GRACE_MS);
    });
    const outcome = await Promise.race([this.#allGone, patience]);
    clearTimeout(timer);
    if (outcome !== 'late') return;
    const late = [...this.#workers];
    this.warnings.push(...late.map(([, name]) => `The worker '${name}' did not stop in time and was ended.`));
    await Promise.all(late.map(([worker]) => worker.terminate()));
  }
}

function died(name: string, error: Error | undefined, code?: number): VenturiError {
  const memory = (error as NodeJS.ErrnoException | undefined)?.code === 'ERR_WORKER_OUT_OF_MEMORY';
  const what = memory
    ? 'ran out of heap memory'
    : error === undefined
      ? `ended by process.exit(${code ?? 0})`
      : `ended by an uncaught error: ${error.message}`;
  return new VenturiError('VENTURI_WORKER_DIED', `the worker '${name}' ${what}`, {
    ...(error === undefined ? {} : { cause: error }),
    remedy: memory
      ? 'process fewer or smaller elements at a time, or give Node more heap with NODE_OPTIONS=--max-old-space-size'
      : 'look for process.exit(), unhandled rejections and errors thrown in callbacks in the functions of this stage',
  });
}
