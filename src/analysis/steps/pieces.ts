import { GrowingColumn } from '../../model/growing-column.ts';
import { DEPENDENCY_RELATIONS, type StepTrace } from '../../model/step-trace.ts';

/** Pieces of ops, resource by resource, and which of them an edge leaves from or leads to. */
export interface Pieces {
  readonly op: Uint32Array;
  readonly start: Float64Array;
  readonly end: Float64Array;
  readonly work: Float64Array;
  /** 1 where the piece follows the one before it on an ordered resource, or of the same op. */
  readonly follows: Uint8Array;
  /** By op: its first and last piece, that at whose end it has launched something, and the first after all it waits for. */
  readonly first: Int32Array;
  readonly last: Int32Array;
  readonly launching: Int32Array;
  readonly resuming: Int32Array;
}

const START_START = DEPENDENCY_RELATIONS.indexOf('start-start');
const END_END = DEPENDENCY_RELATIONS.indexOf('end-end');

/** Cuts the chosen ops into pieces that occupy their resource. `chosen` has a 1 for each that counts; `awaited` the moment up to which each waits for others than these. */
export function piecesOf(trace: StepTrace, chosen: Uint8Array, awaited: Float64Array): Pieces {
  const cutter = new Cutter(trace, chosen, awaited);
  const byResource = groupByResource(trace, chosen);
  for (const [resource, { ordered, kind }] of trace.resources.entries()) {
    const ops = byResource[resource] ?? new Uint32Array(0);
    if (ordered === true && kind === 'host') cutter.cutNested(ops);
    else cutter.cutFlat(ops, ordered === true);
  }
  return cutter.done();
}

function groupByResource({ resources, ops }: StepTrace, chosen: Uint8Array): readonly Uint32Array[] {
  const columns = resources.map(() => new GrowingColumn(Uint32Array));
  for (let op = 0; op < ops.count; op++) {
    if (chosen[op] === 1) columns[ops.resource[op] ?? 0]?.push(op);
  }
  return columns.map(column => column.done());
}

class Cutter {
  readonly #trace: StepTrace;
  readonly #op = new GrowingColumn(Uint32Array);
  readonly #start = new GrowingColumn(Float64Array);
  readonly #end = new GrowingColumn(Float64Array);
  readonly #work = new GrowingColumn(Float64Array);
  readonly #follows = new GrowingColumn(Uint8Array);
  readonly #first: Int32Array;
  readonly #last: Int32Array;
  readonly #launching: Int32Array;
  readonly #resuming: Int32Array;
  /** Moment at which an op has launched something; infinite where it launches nothing. */
  readonly #launchAt: Float64Array;
  /** Moment up to which an op waits for others; minus infinity where it waits for none. */
  readonly #waitUntil: Float64Array;

  constructor(trace: StepTrace, chosen: Uint8Array, awaited: Float64Array) {
    this.#trace = trace;
    const { count, start, duration } = trace.ops;
    const none = (): Int32Array => new Int32Array(count).fill(-1);
    this.#first = none();
    this.#last = none();
    this.#launching = none();
    this.#resuming = none();
    this.#launchAt = new Float64Array(count).fill(Number.POSITIVE_INFINITY);
    const { from, to, relation } = trace.dependencies;
    const endOf = (op: number): number => (start[op] ?? 0) + (duration[op] ?? 0);
    const within = (op: number, moment: number): number => Math.min(endOf(op), Math.max(start[op] ?? 0, moment));
    this.#waitUntil = awaited.map((moment, op) =>
      moment > (start[op] ?? 0) ? within(op, moment) : Number.NEGATIVE_INFINITY,
    );
    for (let at = 0; at < from.length; at++) {
      const [one, other] = [from[at] ?? 0, to[at] ?? 0];
      if (chosen[one] !== 1 || chosen[other] !== 1) continue;
      if (relation[at] === START_START) {
        const moment = within(one, start[other] ?? 0);
        this.#launchAt[one] = Math.min(this.#launchAt[one] ?? Number.POSITIVE_INFINITY, moment);
      } else if (relation[at] === END_END) {
        const moment = within(other, endOf(one));
        this.#waitUntil[other] = Math.max(this.#waitUntil[other] ?? Number.NEGATIVE_INFINITY, moment);
      }
    }
  }

  /** Ops that are whole, one after the other where their resource is ordered. */
  cutFlat(ops: Uint32Array, ordered: boolean): void {
    const { start, duration } = this.#trace.ops;
    for (const [at, op] of ops.entries()) {
      const from = start[op] ?? 0;
      this.#open(op);
      this.#emit(op, from, from + (duration[op] ?? 0), ordered && at > 0);
      this.#close(op);
    }
  }

  /** Ops of a thread, which enclose others: what is neither in an op nor in one that encloses it belongs to nobody. */
  cutNested(ops: Uint32Array): void {
    const { start, duration, parent } = this.#trace.ops;
    const stack: number[] = [];
    const firstPiece = this.#op.length;
    let cursor = Number.NEGATIVE_INFINITY;
    const emitUpTo = (op: number, moment: number): void => {
      const isWhole = this.#first[op] === this.#op.length;
      if (moment > cursor || isWhole) {
        this.#emit(op, Math.min(cursor, moment), moment, this.#op.length > firstPiece);
      }
      cursor = Math.max(cursor, moment);
    };
    const pop = (): void => {
      const op = stack.pop();
      if (op === undefined) return;
      emitUpTo(op, (start[op] ?? 0) + (duration[op] ?? 0));
      this.#close(op);
    };
    for (const op of ops) {
      const enclosing = parent[op] ?? -1;
      while (stack.length > 0 && stack.at(-1) !== enclosing) pop();
      const from = start[op] ?? 0;
      const top = stack.at(-1);
      if (top === undefined) cursor = Math.max(cursor, from);
      else if (from > cursor) emitUpTo(top, from);
      stack.push(op);
      this.#open(op);
    }
    while (stack.length > 0) pop();
  }

  #open(op: number): void {
    this.#first[op] = this.#op.length;
  }

  #close(op: number): void {
    this.#last[op] = this.#op.length - 1;
  }

  /** Own time of an op, cut where it has launched something and where it has waited enough. */
  #emit(op: number, from: number, to: number, follows: boolean): void {
    const [launchAt = 0, waitUntil = 0] = [this.#launchAt[op], this.#waitUntil[op]];
    let at = from;
    let isNext = follows;
    const put = (until: number): void => {
      const isWaiting = until <= waitUntil && until > at;
      this.#put(op, at, until, isWaiting ? 0 : until - at, isNext);
      at = until;
      isNext = true;
    };
    const cuts = [launchAt, waitUntil].filter(cut => cut >= at && cut <= to).sort((a, b) => a - b);
    for (const cut of cuts) {
      const isLaunch = cut === launchAt && (this.#launching[op] ?? -1) < 0;
      const isWait = cut === waitUntil && (this.#resuming[op] ?? -1) < 0;
      if (isLaunch || cut > at) put(cut);
      if (isLaunch) this.#launching[op] = this.#op.length - 1;
      if (isWait) this.#resuming[op] = this.#op.length;
    }
    const isOwed = this.#resuming[op] === this.#op.length || this.#first[op] === this.#op.length;
    if (to > at || isOwed) put(Math.max(to, at));
  }

  #put(op: number, start: number, end: number, work: number, follows: boolean): void {
    this.#op.push(op);
    this.#start.push(start);
    this.#end.push(end);
    this.#work.push(work);
    this.#follows.push(follows ? 1 : 0);
  }

  done(): Pieces {
    return {
      op: this.#op.done(),
      start: this.#start.done(),
      end: this.#end.done(),
      work: this.#work.done(),
      follows: this.#follows.done(),
      first: this.#first,
      last: this.#last,
      launching: this.#launching,
      resuming: this.#resuming,
    };
  }
}
