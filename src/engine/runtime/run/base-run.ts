import { VenturiError } from '../../../model/errors.ts';
import type { Graph } from '../../../model/graph.ts';
import type { RandomOperator } from '../../../model/random-operator.ts';
import type { ExecutionPlan } from '../../compile/stages.ts';
import type { Checkpoint } from '../../contract/checkpoint.ts';
import type { Lease } from '../../contract/lease.ts';
import type { ProbeSpec } from '../../contract/probe.ts';
import type { ChannelReading, Progress, Run, RunSummary, StuckWork } from '../../contract/run.ts';
import { Clock } from '../books/clock.ts';
import { BEGINNING, compare, type Position } from '../books/position.ts';
import { type CheckpointSettings, Checkpoints } from '../checkpoint/checkpoints.ts';
import type { JournalEntry } from '../checkpoint/journal-entry.ts';
import { type Loan, leaseOf } from './loan.ts';
import type { GraphOptions } from './run-plan.ts';

export interface RunSettings extends CheckpointSettings, Omit<GraphOptions, 'inline'> {
  readonly chunkElements: number | undefined;
  readonly probe: ProbeSpec | undefined;
  readonly deadLetter: string | undefined;
  readonly trial: boolean;
  readonly borrow: boolean;
  readonly signal: AbortSignal | undefined;
}

/** What every run can do, whatever its elements come from. */
export abstract class BaseRun<T> implements Run<T> {
  readonly start = process.hrtime.bigint();
  protected readonly clock = new Clock(this.start);
  protected readonly plan: ExecutionPlan;
  protected readonly settings: RunSettings;
  readonly graph: Graph;
  readonly finished: Promise<RunSummary>;
  #settle: { resolve(summary: RunSummary): void; reject(error: unknown): void } | undefined;
  #consumed = false;
  protected readonly checkpoints: Checkpoints;
  /** What had been handed out when the run was asked to save itself and has not done so yet. */
  readonly #saving = new Set<Position>();
  /** What has been handed out. */
  #handed: () => { readonly position: Position; readonly elements: number };

  constructor(plan: ExecutionPlan, settings: RunSettings) {
    const { signal } = settings;
    this.plan = plan;
    this.settings = settings;
    this.graph = plan.graph;
    this.checkpoints = new Checkpoints(plan, settings, entry => this.told(entry));
    const { delivery } = this.checkpoints;
    this.#handed = () => ({ position: delivery.position(0), elements: delivery.elements });
    this.finished = new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
    // Whoever consumes the run learns of its failure there; asking `finished` as well is optional.
    this.finished.catch(() => undefined);
    if (signal !== undefined) {
      const stop = (): void => void this.stop();
      if (signal.aborted) queueMicrotask(stop);
      else signal.addEventListener('abort', stop, { once: true });
      this.finished.catch(() => undefined).finally(() => signal.removeEventListener('abort', stop));
    }
  }

  abstract progress(): Progress;
  abstract channels(): readonly ChannelReading[];
  abstract stuck(): readonly StuckWork[];
  abstract stop(): Promise<void>;
  /** The next elements; none at the end. Without `decode` they are counted and given up. */
  protected abstract chunk(decode: boolean): Promise<unknown[] | undefined>;

  async save(): Promise<Checkpoint> {
    const { position, elements } = this.#handed();
    this.#saving.add(position);
    // What lanes have written down may be waiting for its turn on this thread.
    await new Promise(resolve => setImmediate(resolve));
    this.#saving.delete(position);
    return this.checkpoints.save(position, elements);
  }

  /** What lanes have written down. */
  protected told(entry: JournalEntry): void {
    // Elements may go on being handed out while the run is saved as it was.
    const positions = [this.#handed().position, ...this.#saving].toSorted(compare);
    this.checkpoints.add(entry, positions[0] ?? BEGINNING);
  }

  protected random(): readonly RandomOperator[] {
    return this.progress()
      .operators.filter(({ keyedDraws, ambientDraws }) => keyedDraws + ambientDraws > 0)
      .map(({ id, keyedDraws, ambientDraws }) => ({ id, keyedDraws, ambientDraws }));
  }

  protected succeed(summary: RunSummary): void {
    this.#settle?.resolve(summary);
  }

  protected fail(error: unknown): void {
    this.#settle?.reject(error);
  }

  async drain(): Promise<RunSummary> {
    this.#consume();
    while ((await this.chunk(false)) !== undefined);
    return this.finished;
  }

  async forEach(consume: (element: T) => void | Promise<void>): Promise<RunSummary> {
    for await (const element of this) await consume(element);
    return this.finished;
  }

  leases(): AsyncIterable<Lease<T>> {
    if (this.settings.borrow) return { [Symbol.asyncIterator]: () => this.#leases() };
    throw new VenturiError('VENTURI_USAGE', 'leases() of a run that lends nothing', {
      remedy: 'start it by run({ borrow: true }), or loop over the run itself, whose elements are yours',
    });
  }

  /** No generator: one that was not begun, or waits for an element, would not stop the run when it is left. */
  #leases(): AsyncIterator<Lease<T>> {
    this.lendsLongTerm();
    const elements = this[Symbol.asyncIterator]();
    const lend = async (): Promise<IteratorResult<Lease<T>>> => {
      const { value, done } = await elements.next();
      return done === true ? { value: undefined, done } : { value: leaseOf(value, this.loan), done: false };
    };
    let last: Promise<unknown> = Promise.resolve();
    return {
      // Each is asked for when the one before has been handed on, so that the loan is that of its chunk.
      next: () => {
        const answer = last.then(lend);
        last = answer.catch(() => undefined);
        return answer;
      },
      return: async () => {
        await elements.return?.();
        return { value: undefined, done: true };
      },
    };
  }

  /** Elements are given back one by one, in any order. */
  protected lendsLongTerm(): void {}

  /** What the element handed out last lies in; undefined: it is the consumer's own. */
  protected get loan(): Loan | undefined {
    return undefined;
  }

  [Symbol.asyncIterator](): AsyncIterator<T> {
    this.#consume();
    const { delivery } = this.checkpoints;
    let elements: T[] | undefined = [];
    let at = 0;
    let { start, before } = delivery;
    this.#handed = () => ({ position: { epoch: start.epoch, index: start.index + at }, elements: before + at });
    let asked = 0;
    let last: Promise<unknown> = Promise.resolve();
    const refill = async (): Promise<IteratorResult<T>> => {
      if (elements !== undefined && at === elements.length) {
        const arrived = (await this.chunk(true)) as T[] | undefined;
        if (arrived !== undefined) {
          ({ start, before } = delivery);
          at = 0;
        }
        elements = arrived;
      }
      if (elements !== undefined) return { value: elements[at++] as T, done: false };
      await this.finished;
      return { value: undefined, done: true };
    };
    /** Whoever asks again before the answer has come is served in turn. */
    const ask = (): Promise<IteratorResult<T>> => {
      asked++;
      const answer = last.then(refill).finally(() => asked--);
      last = answer.catch(() => undefined);
      return answer;
    };
    return {
      // Short, for V8 compiles it into the consumer's loop.
      next: () =>
        asked === 0 && elements !== undefined && at < elements.length
          ? Promise.resolve({ value: elements[at++] as T, done: false })
          : ask(),
      return: async () => {
        await this.stop();
        return { value: undefined, done: true };
      },
    };
  }

  #consume(): void {
    if (this.#consumed) {
      throw new VenturiError('VENTURI_USAGE', 'a run can be consumed once, and this one is being consumed', {
        remedy: 'start another run',
      });
    }
    this.#consumed = true;
    this.consumed();
  }

  /** From now on someone takes its elements. */
  protected consumed(): void {}

  protected get isConsumed(): boolean {
    return this.#consumed;
  }
}
