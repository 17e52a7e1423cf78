import type { SourceReader } from '../contract/source.ts';

/** Elements that come one after the other are handed on after this long, however few. */
const LONGEST_READ_MS = 10;
/** A source that gives nothing for so many turns of the event loop waits for something. */
const IDLE_TURNS = 2;
/** How long a source that waits is waited for when nobody wants more of it. */
const LEAVE_MS = 200;
/** An element that takes longer is given time to be looked after by itself. */
const QUICK_MS = 0.01;
const MOST_BETWEEN_LOOKS = 16;

const shareOf = (count: number, length: number | undefined): number | undefined =>
  length === undefined ? undefined : Math.min(1, count / Math.max(1, length));

/** Reads an iterator that answers at once. One that takes its time is not asked for more before what it gave has gone on. */
export function readSync<T>(iterator: Iterator<T>, length: number | undefined): SourceReader {
  let count = 0;
  let between = 1;
  return {
    read(into, limit) {
      let looked = performance.now();
      const deadline = looked + LONGEST_READ_MS;
      let left = between;
      for (let read = 0; read < limit; read++) {
        const { done, value } = iterator.next();
        if (done === true) return read;
        into.push(value);
        count++;
        if (--left > 0) continue;
        const now = performance.now();
        if (now >= deadline) {
          between = 1;
          return read + 1;
        }
        between = now - looked < between * QUICK_MS ? Math.min(MOST_BETWEEN_LOOKS, 2 * between) : 1;
        left = between;
        looked = now;
      }
      return limit;
    },
    done: () => shareOf(count, length),
    close: () => void iterator.return?.(),
  };
}

/** A read that has not come to its end. */
interface PendingRead {
  readonly into: unknown[];
  readonly limit: number;
  readonly patienceMs: number;
  readonly deadline: number;
  count: number;
  end(): void;
  fail(error: unknown): void;
}

/** Reads an async iterator. What has come is handed on while the next element lets itself be waited for. */
export class AsyncReader<T> implements SourceReader {
  readonly #iterator: AsyncIterator<T>;
  readonly #length: number | undefined;
  /** Came when nobody was pending. */
  #ahead: T[] = [];
  /** So many are asked for without a reader. */
  #mostAhead = 0;
  #asking: Promise<void> | undefined;
  #over = false;
  #failure: { readonly error: unknown } | undefined;
  #pending: PendingRead | undefined;
  #given = 0;
  /** Elements that have come, and that had come at the last look; looks since then. */
  #came = 0;
  #seen = -1;
  #idle = 0;
  #isLooking = false;

  constructor(iterator: AsyncIterator<T>, length: number | undefined) {
    this.#iterator = iterator;
    this.#length = length;
  }

  read(into: unknown[], limit: number, patienceMs = 0): Promise<number> {
    const ahead = this.#ahead.splice(0, limit);
    for (const element of ahead) into.push(element);
    this.#mostAhead = patienceMs > 0 ? limit : 0;
    return new Promise((resolve, reject) => {
      const pending: PendingRead = {
        into,
        limit,
        patienceMs,
        deadline: performance.now() + LONGEST_READ_MS,
        count: ahead.length,
        end: () => {
          this.#pending = undefined;
          this.#given += pending.count;
          resolve(pending.count);
        },
        fail: error => {
          this.#pending = undefined;
          reject(error);
        },
      };
      this.#pending = pending;
      if (ahead.length > 0) this.#watch(pending);
      this.#settle();
      if (this.#asking === undefined && this.#wants) this.#asking = this.#ask();
    });
  }

  /** More is wanted than has come. */
  get #wants(): boolean {
    return !this.#isEnded && (this.#pending !== undefined || this.#ahead.length < this.#mostAhead);
  }

  get #isEnded(): boolean {
    return this.#over || this.#failure !== undefined;
  }

  /** Asks for one element after the other. Who reads may come and go meanwhile. */
  async #ask(): Promise<void> {
    try {
      while (this.#wants) {
        const { done, value } = await this.#iterator.next();
        if (done === true) this.#over = true;
        else this.#accept(value);
        this.#settle();
      }
    } catch (error) {
      this.#failure = { error };
      this.#settle();
    }
    this.#asking = undefined;
  }

  /** Ends the read under way where it has enough. A failure is told when what came before it has gone on. */
  #settle(): void {
    const pending = this.#pending;
    if (pending === undefined) return;
    if (pending.count > 0) {
      if (pending.count >= pending.limit || this.#isEnded || performance.now() >= pending.deadline) pending.end();
    } else if (this.#failure !== undefined) pending.fail(this.#failure.error);
    else if (this.#over) pending.end();
  }

  #accept(element: T): void {
    this.#came++;
    const pending = this.#pending;
    if (pending === undefined) {
      this.#ahead.push(element);
      return;
    }
    pending.into.push(element);
    if (++pending.count === 1) this.#watch(pending);
  }

  /** Ends a read with what has come once nothing follows. While elements come without waiting, this has no turn at all. */
  #watch(pending: PendingRead): void {
    if (pending.patienceMs > 0) {
      setTimeout(() => this.#endEarly(pending), pending.patienceMs);
    } else if (!this.#isLooking) {
      this.#isLooking = true;
      setImmediate(this.#look);
    }
  }

  readonly #look = (): void => {
    const pending = this.#pending;
    this.#isLooking = pending !== undefined && pending.count > 0;
    if (pending === undefined || pending.count === 0) return;
    this.#idle = this.#came === this.#seen ? this.#idle + 1 : 0;
    this.#seen = this.#came;
    if (this.#idle < IDLE_TURNS) {
      setImmediate(this.#look);
    } else {
      this.#isLooking = false;
      pending.end();
    }
  };

  #endEarly(pending: PendingRead): void {
    if (this.#pending === pending) pending.end();
  }

  done(): number | undefined {
    return shareOf(this.#given, this.#length);
  }

  /** A generator can be ended only where it stands: one that waits for something ends when that has come. */
  async close(): Promise<void> {
    const asked = this.#asking;
    const returned = Promise.resolve(this.#iterator.return?.());
    if (asked === undefined) return void (await returned);
    returned.catch(() => undefined);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<'late'>(resolve => {
      timer = setTimeout(() => resolve('late'), LEAVE_MS);
    });
    const came = await Promise.race([asked, late]);
    clearTimeout(timer);
    if (came !== 'late') await returned;
  }
}
