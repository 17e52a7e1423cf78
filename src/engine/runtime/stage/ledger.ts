import type { LaneProbe } from '../../contract/probe.ts';
import type { Clock } from '../books/clock.ts';
import type { SharedTotals } from '../books/totals.ts';
import { ambient } from '../calls/ambient.ts';
import type { Input } from './input.ts';
import type { Output } from './output.ts';

/** The clocks before a piece of work. */
export interface Before {
  readonly time: number;
  readonly waited: number;
  readonly cpu: number | undefined;
}

/** Where input and output stood when work on a chunk began. */
export interface Began {
  readonly time: number;
  readonly waited: number;
  readonly elements: number;
  readonly bytes: number;
}

export interface LedgerParts {
  readonly input: Input;
  readonly output: Output;
  readonly totals: SharedTotals;
  readonly clock: Clock;
  readonly probe: LaneProbe | undefined;
}

/** Reading the CPU clock around pieces of input may take this share of the lane's time: of short ones, not all are measured. */
const CLOCK_SHARE = 0.001;
/** Weight of the newest piece in the moving averages of a piece's time and of the clock's cost. */
const SMOOTHING = 0.1;

/** Keeps a lane's books: the totals others look at while it runs, and what its probe is told. */
export class Ledger {
  readonly #parts: LedgerParts;
  #lastEnd: number;
  #lastWaited = 0;
  /** Pieces until the next that is measured. */
  #countdown = 1;
  #lastPiece = 0;
  #pieceTime = 0;
  #clockCost = 0;
  /** What measured pieces took, ns: by the clock on the wall, and of CPU. */
  #pieceWall = 0;
  #pieceCpu = 0;
  #random = 0x9e3779b9;

  constructor(parts: LedgerParts) {
    this.#parts = parts;
    this.#lastEnd = parts.clock.now();
  }

  before(): Before {
    const { clock, input, probe } = this.#parts;
    ambient.take();
    return { time: clock.now(), waited: input.waited, cpu: probe?.cpu() };
  }

  /** The clocks before a piece of input is got. Which pieces are measured is random, so that none of a repeating kind is missed. */
  beforePiece(): Before {
    const { clock, input, probe } = this.#parts;
    ambient.take();
    const time = clock.now();
    const { waited } = input;
    if (probe === undefined) return { time, waited, cpu: undefined };
    const pieceTime = time - this.#lastPiece;
    this.#pieceTime += (this.#pieceTime === 0 ? 1 : SMOOTHING) * (pieceTime - this.#pieceTime);
    this.#lastPiece = time;
    if (--this.#countdown > 0) return { time, waited, cpu: undefined };
    const cpu = probe.cpu();
    const began = clock.now();
    this.#clockCost += (this.#clockCost === 0 ? 1 : SMOOTHING) * (began - time - this.#clockCost);
    const gap = Math.ceil((2 * this.#clockCost) / (CLOCK_SHARE * this.#pieceTime));
    this.#random = (Math.imul(this.#random, 1664525) + 1013904223) >>> 0;
    this.#countdown = 1 + Math.floor(((2 * gap - 1) * this.#random) / 2 ** 32);
    return { time: began, waited, cpu };
  }

  /** Work outside the loops is charged to its operator from the CPU clock, whole, instead of by samples. */
  charge(at: number, elements: number, before: Before): void {
    this.#took(at, before);
    if (before.cpu !== undefined) this.#book(at, elements, this.#cpuSince(before.cpu));
  }

  /** A piece of input too. One that was not measured took as much of its time on a core as those that were: few of them tell little. */
  chargePiece(elements: number, before: Before): void {
    const time = this.#took(0, before);
    if (this.#parts.probe === undefined) return;
    if (before.cpu === undefined) {
      this.#book(0, elements, (time * this.#pieceCpu) / Math.max(1, this.#pieceWall));
      return;
    }
    const cpu = this.#cpuSince(before.cpu);
    this.#pieceWall += time;
    this.#pieceCpu += cpu;
    this.#book(0, elements, cpu);
  }

  /** Time of operator `at` by the clock on the wall, ns, waiting for input left out. */
  #took(at: number, before: Before): number {
    const { totals, clock, input } = this.#parts;
    const time = clock.now() - before.time - (input.waited - before.waited);
    totals.inOperators += time;
    this.drew(at);
    return time;
  }

  #cpuSince(cpu: number): number {
    return (this.#parts.probe?.cpu() ?? cpu) - cpu;
  }

  #book(at: number, elements: number, cpu: number): void {
    const { totals } = this.#parts;
    add(totals.sampledElements, at, elements);
    add(totals.sampledTime, at, cpu);
  }

  /** What this thread has drawn from the runtime meanwhile, operator `at` drew. */
  drew(at: number): void {
    add(this.#parts.totals.ambientDraws, at, ambient.take());
  }

  /** Elements that passed an operator which is not part of a loop. */
  passed(at: number, elementsIn: number, elementsOut: number): void {
    add(this.#parts.totals.elementsIn, at, elementsIn);
    add(this.#parts.totals.elementsOut, at, elementsOut);
  }

  began(): Began {
    const { output, clock } = this.#parts;
    return { time: clock.now(), waited: output.waited, elements: output.elements, bytes: output.bytes };
  }

  /** A chunk is done. Gives how long the lane worked on it, waiting left out. */
  ended(began: Began, number: number, elements: number, bytes: number): number {
    const { input, output, probe, clock, totals } = this.#parts;
    const now = clock.now();
    const waited = input.waited + output.waited;
    totals.chunks++;
    totals.busy += now - this.#lastEnd - (waited - this.#lastWaited);
    this.#lastEnd = now;
    this.#lastWaited = waited;
    totals.bytesIn += bytes;
    this.post();
    probe?.end(number, began.time, now, elements, output.elements - began.elements, bytes, output.bytes - began.bytes);
    return now - began.time - (output.waited - began.waited);
  }

  /** Brings the totals that others look at up to date. */
  post(): void {
    const { input, output, totals } = this.#parts;
    totals.starved = input.waited;
    totals.backpressured = output.waited - output.transported;
    totals.bytesOut = output.bytes;
    totals.arraysOut = output.arrays;
    totals.done = input.done?.() ?? -1;
    totals.files = Math.max(totals.files, input.files?.() ?? 0);
  }
}

const add = (column: Float64Array, at: number, by: number): void => {
  column[at] = (column[at] ?? 0) + by;
};
