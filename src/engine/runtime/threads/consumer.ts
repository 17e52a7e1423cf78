import type { LaneProbe, LaneTotals } from '../../contract/probe.ts';
import type { Clock } from '../books/clock.ts';
import type { Delivery } from '../checkpoint/delivery.ts';
import { ChunkDecoder } from '../chunk/index.ts';
import { PART, type RingConsumer, readLandmark } from '../ring/index.ts';
import type { Loan } from '../run/loan.ts';
import type { MemoryGuard } from '../stage/memory-guard.ts';
import type { Loans } from './loans.ts';

/** The caller's end of the last channel, on a thread that must not block. */
export class Consumer {
  readonly ring: RingConsumer;
  readonly #clock: Clock;
  readonly #delivery: Delivery;
  readonly #memory: MemoryGuard;
  readonly #totals: Pick<LaneTotals, 'busy' | 'inOperators'>;
  readonly #decoder = new ChunkDecoder();
  /** Of chunks that are kept: it remembers none of them. */
  readonly #lentDecoder = new ChunkDecoder();
  /** Where the caller gives elements back one by one: those that it may keep. */
  loans: Loans | undefined;
  /** What the elements given last lie in; undefined: they are the caller's own, or lent until it asks for more. */
  loan: Loan | undefined;
  probe: LaneProbe | undefined;
  elements = 0;
  bytes = 0;
  /** Claimed as lanes claim theirs, so that producers see which one is waited for. */
  #chunk: number | undefined;
  #received: { time: number; handedAt: number; count: number; bytes: number; number: number } | undefined;
  /** The chunk whose slot the caller reads from: it is given back when the caller asks for more. */
  #lent: number | undefined;
  readonly #borrow: boolean;
  /** When the caller last came back, and how long it had waited by then. */
  #last: { time: number; waited: number } | undefined;

  constructor(
    memory: MemoryGuard,
    ring: RingConsumer,
    clock: Clock,
    delivery: Delivery,
    totals: Pick<LaneTotals, 'busy' | 'inOperators'>,
    borrow: boolean,
  ) {
    this.#totals = totals;
    this.#borrow = borrow;
    this.#delivery = delivery;
    this.#memory = memory;
    this.ring = ring;
    this.#clock = clock;
  }

  /** The next chunk's elements; `undefined` at the end, 'closed' when the run broke off. */
  async next(decode: boolean): Promise<unknown[] | undefined | 'closed'> {
    this.#finishChunk();
    this.#last ??= { time: this.#clock.now(), waited: this.ring.waited };
    if (this.#lent !== undefined) this.#release(this.#lent);
    for (;;) {
      this.#chunk ??= this.ring.claim();
      const chunk = this.#chunk;
      if (!(await this.ring.receiveAsync(chunk))) return 'closed';
      const { flags, count, bytes, epoch } = this.ring;
      if ((flags & PART.end) !== 0) {
        this.ring.release(chunk);
        return undefined;
      }
      if ((flags & PART.landmark) !== 0) {
        this.#delivery.landmark(readLandmark(bytes));
        this.ring.release(chunk);
        this.#chunk = undefined;
        continue;
      }
      const had = count === 0 ? 0 : this.#delivery.arrived(epoch, count);
      const time = this.#clock.now();
      const values = decode && count > had ? this.#decoded(chunk, count - had) : [];
      if (count > 0) {
        this.#received = { time, handedAt: this.#clock.now(), count, bytes: bytes.length, number: chunk };
      }
      this.elements += count - had;
      this.bytes += bytes.length;
      if (this.#borrow && this.loans === undefined && decode && count > had) this.#lent = chunk;
      else this.#release(chunk);
      if (count > had) return had === 0 ? values : values.slice(had);
    }
  }

  #decoded(chunk: number, elements: number): unknown[] {
    const { ring, loans } = this;
    const lent = ring.isInLargeSlot ? loans?.lend(ring.bytes, elements, spare => ring.swap(chunk, spare)) : undefined;
    this.loan = lent?.loan;
    if (lent === undefined) return this.#decoder.decode(ring.bytes, this.#borrow && loans === undefined).values;
    const { values } = this.#lentDecoder.decode(lent.bytes, true);
    this.#lentDecoder.forget();
    return values;
  }

  #release(chunk: number): void {
    this.#lent = undefined;
    this.ring.release(chunk);
    if ((this.ring.flags & PART.again) === 0) this.#chunk = undefined;
  }

  /** The caller wants elements, and there are none. */
  get waits(): boolean {
    return this.ring.waiting && this.#chunk !== undefined && !this.ring.ready(this.#chunk);
  }

  /** The caller came back for more: what it did since then is its work on the last chunk. */
  #finishChunk(): void {
    const last = this.#received;
    if (last === undefined) return;
    this.#received = undefined;
    const now = this.#clock.now();
    this.ring.paced((now - last.time) / last.count);
    // The caller's own work; what else this thread does for the chunk is the engine's.
    const { waited } = this.ring;
    const before = this.#last ?? { time: now, waited };
    this.#totals.inOperators += now - last.handedAt;
    this.#totals.busy += now - before.time - (waited - before.waited);
    this.#last = { time: now, waited };
    this.#memory.check();
    this.probe?.end(last.number, last.time, now, last.count, 0, last.bytes, 0);
  }
}
