import { VenturiError } from '../../model/errors.ts';
import type { Context, WorkerContext } from '../api/context.ts';
import type { PlacedNode } from '../compile/graph.ts';
import { isPerWorker, type UserFunction } from '../compile/node.ts';
import { operatorKind } from '../operators/registry.ts';
import { callAll } from './async-calls.ts';
import type { Clock } from './clock.ts';
import { drawPlaces, ElementContext } from './element-context.ts';
import { userFunctionFailed } from './failure.ts';
import type { Input, Piece } from './input.ts';
import { type Output, Unwanted } from './output.ts';
import type { MemoryGuard } from './memory-guard.ts';
import type { LaneProbe } from './probe.ts';
import { Sampler } from './sampler.ts';
import { CompiledSegment } from './segment.ts';
import { Collected, type Sink } from './sink.ts';
import type { SharedTotals } from './totals.ts';

export interface StageOptions {
  readonly id: string;
  /** Every operator of the stage; a source is the first of the first stage. */
  readonly nodes: readonly PlacedNode[];
  readonly input: Input;
  readonly output: Output;
  readonly totals: SharedTotals;
  readonly clock: Clock;
  readonly seed: number;
  readonly worker: WorkerContext;
  /** Which elements these are matters to an operator here or downstream. */
  readonly identity: boolean;
  /** Per node: nothing downstream starts its upstream over, so a `take` that is full ends the run. */
  readonly final: readonly boolean[];
  readonly probe: LaneProbe | undefined;
  readonly memory: MemoryGuard;
  readonly stopping: () => boolean;
}

/** A segment and, behind it, the async operator that feeds the next one. */
interface Link {
  readonly segment: CompiledSegment;
  readonly sink: Sink;
  /** Position of the segment's first operator in the stage. */
  readonly offset: number;
  readonly length: number;
  readonly sampler: Sampler | undefined;
  readonly contexts: readonly (ElementContext | undefined)[];
  readonly call: AsyncCall | undefined;
}

interface AsyncCall {
  readonly at: number;
  readonly concurrency: number;
  readonly function: UserFunction;
  readonly wantsContext: boolean;
  readonly yields: boolean;
}

/** With an async operator ahead, this many elements at a time go through the loop before it. */
const ASYNC_SLICE = 64;

/** Runs one lane of a stage: takes pieces from its input, pushes them through its generated loops, keeps its books. */
export class StageRunner {
  readonly #options: StageOptions;
  readonly #links: Link[] = [];
  readonly #closers: (() => unknown)[] = [];
  /** Passes counted by each repeat of this stage. */
  readonly #passes: number[];
  #discarding = false;
  #epoch = 0;
  #finished = false;
  #lastEnd: number;
  #lastWaited = 0;

  private constructor(options: StageOptions) {
    this.#options = options;
    this.#passes = options.nodes.map(() => 0);
    this.#lastEnd = options.clock.now();
  }

  /** Sets up the user's functions in this lane and generates its loops. */
  static async open(options: StageOptions): Promise<StageRunner> {
    const runner = new StageRunner(options);
    await runner.#setUp();
    return runner;
  }

  async #setUp(): Promise<void> {
    const { nodes, worker } = this.#options;
    const calls: (UserFunction | undefined)[] = [];
    for (const { id, node, operator } of nodes) {
      if (!isPerWorker(node.call)) {
        calls.push(node.call);
        continue;
      }
      try {
        const made = await node.call.setup(worker);
        if (typeof made?.call !== 'function') throw new TypeError('the set-up returned no { call }');
        calls.push(made.call);
        if (made.close !== undefined) this.#closers.unshift(made.close);
      } catch (error) {
        throw userFunctionFailed({ id, location: operator.location }, this.#options.id, undefined, error);
      }
    }
    this.#link(calls);
  }

  /** Cuts the stage behind every async function: what lies between becomes one loop. */
  #link(calls: readonly (UserFunction | undefined)[]): void {
    const { nodes } = this.#options;
    let offset = 0;
    for (let at = 0; at <= nodes.length; at++) {
      const call = calls[at];
      const last = at === nodes.length;
      if (!last && !isAsync(call)) continue;
      this.#links.push(this.#segment(offset, at, calls, last ? undefined : call));
      offset = at + 1;
    }
  }

  #segment(
    from: number,
    to: number,
    calls: readonly (UserFunction | undefined)[],
    asyncCall: UserFunction | undefined,
  ): Link {
    const { id, nodes, seed, worker, identity, output, totals, probe, input } = this.#options;
    const members = nodes.slice(from, to);
    const wantsContext = (at: number): boolean => (calls[at]?.length ?? 0) >= 2;
    const contexts = nodes
      .slice(from, to + 1)
      .map((placed, at) => (wantsContext(from + at) ? new ElementContext(placed.id, seed, worker.signal) : undefined));
    const sink = asyncCall === undefined ? output : new Collected();
    const sampler = probe === undefined ? undefined : new Sampler(totals, from);
    const segment = new CompiledSegment(
      id,
      {
        operators: members.map(({ node }, at) => ({
          kind: operatorKind(node.kind),
          settings: node.settings,
          wantsContext: wantsContext(from + at),
        })),
        calls: calls.slice(from, to),
        contexts,
        draws: members.map(({ id: operator, node }) => drawPlaces(operator, Number(node.settings.seed ?? seed))),
        sink,
        sampler,
      },
      { series: from === 0 && input.series, identity },
    );
    const node = nodes[to]?.node;
    return {
      segment,
      sink,
      offset: from,
      length: to - from,
      sampler,
      contexts,
      call:
        asyncCall === undefined
          ? undefined
          : {
              at: to,
              concurrency: node?.concurrency ?? 1,
              function: asyncCall,
              wantsContext: wantsContext(to),
              yields: node?.kind === 'map',
            },
    };
  }

  /** Works until the input ends, or nobody wants the output. */
  async run(): Promise<void> {
    try {
      while (!this.#finished && !this.#options.stopping()) {
        const worked = this.step();
        if (worked instanceof Promise) await worked;
      }
    } finally {
      await this.close();
    }
  }

  get finished(): boolean {
    return this.#finished;
  }

  async close(): Promise<void> {
    this.#finished = true;
    try {
      for (const close of this.#closers.splice(0)) await close();
    } finally {
      await this.#options.input.cancel();
    }
  }

  /** One piece of input. Synchronous unless the source or a user function is not. */
  step(): void | Promise<void> {
    const { input, probe, clock } = this.#options;
    const before = input.source ? { time: clock.now(), cpu: probe?.cpu() } : undefined;
    const piece = input.next();
    if (!(piece instanceof Promise)) return this.#work(piece, before);
    return piece.then(arrived => this.#work(arrived, before));
  }

  /** `before`: the clocks before a source was read; the reading is the source operator's work. */
  #work(piece: Piece, before: Before | undefined): void | Promise<void> {
    try {
      if (before !== undefined) this.#charge(0, piece.to - piece.from, before);
      this.#book();
      if (piece.kind === 'closed') {
        this.#finished = true;
        return undefined;
      }
      this.#enterEpoch(piece.epoch);
      if (piece.kind === 'elements') return this.#elements(piece);
      return this.#mark(piece, piece.kind);
    } catch (error) {
      return this.#unwind(error);
    }
  }

  #unwind(error: unknown): void {
    this.#finished = true;
    if (!(error instanceof Unwanted)) throw error;
  }

  #enterEpoch(epoch: number): void {
    if (epoch === this.#epoch) return;
    this.#epoch = epoch;
    this.#options.output.epoch = epoch;
    for (const { contexts } of this.#links) {
      for (const context of contexts) if (context !== undefined) context.epoch = epoch;
    }
  }

  #elements(piece: Piece): void | Promise<void> {
    const { output, clock } = this.#options;
    output.startChunk(piece.number);
    if (output.skipBefore > piece.epoch && !this.#discarding) this.#leavePass();
    const began: Began = {
      time: clock.now(),
      waited: output.waited,
      elements: output.elements,
      bytes: output.bytes,
    };
    const running = this.#discarding ? undefined : this.#push(0, piece);
    if (!(running instanceof Promise)) return this.#worked(piece, began);
    return running.then(
      () => this.#worked(piece, began),
      error => this.#unwind(error),
    );
  }

  /** Pushes elements through the loop of link `at` and everything behind it. */
  #push(at: number, piece: Stretch): void | Promise<void> {
    const link = this.#links[at];
    if (link === undefined) return undefined;
    if (link.call === undefined) {
      this.#loop(link, piece, piece.from, piece.to);
      return undefined;
    }
    return this.#pushAsync(at, link, link.call, piece);
  }

  async #pushAsync(at: number, link: Link, call: AsyncCall, piece: Stretch): Promise<void> {
    const sink = link.sink as Collected;
    for (let from = piece.from; from < piece.to; from += ASYNC_SLICE) {
      const to = Math.min(piece.to, from + ASYNC_SLICE);
      this.#loop(link, piece, from, to);
      const count = sink.count;
      const values = await this.#callAsync(call, sink, count);
      const { sequence, sub } = sink;
      sink.count = 0;
      if (call.yields && count > 0) await this.#push(at + 1, { values, from: 0, to: count, sequence, sub, base: 0 });
      if (this.#links.some(({ segment }) => segment.loop.stopped() >= 0)) return;
    }
  }

  async #callAsync(call: AsyncCall, sink: Collected, count: number): Promise<unknown[]> {
    const { totals, nodes, seed, worker, probe, clock } = this.#options;
    const placed = nodes[call.at];
    if (placed === undefined) throw new Error(`no operator at ${call.at}`);
    const results: unknown[] = [];
    const before = { time: clock.now(), cpu: probe?.cpu() };
    const invoke = call.function as (element: unknown, context?: Context) => unknown;
    const context = (position: number): Context => {
      const own = new ElementContext(placed.id, seed, worker.signal);
      own.epoch = this.#epoch;
      return own.of(sink.sequence[position] ?? 0, sink.sub[position] ?? 0);
    };
    await callAll(
      sink.values,
      count,
      call.concurrency,
      async position => {
        try {
          const element = sink.values[position];
          return await (call.wantsContext ? invoke(element, context(position)) : invoke(element));
        } catch (error) {
          throw userFunctionFailed(
            { id: placed.id, location: placed.operator.location },
            this.#options.id,
            sink.sequence[position],
            error,
          );
        }
      },
      results,
    );
    bump(totals.elementsIn, call.at, count);
    if (call.yields) bump(totals.elementsOut, call.at, count);
    this.#charge(call.at, count, before);
    return results;
  }

  /** Work outside the loops is charged to its operator from the CPU clock, whole, instead of by samples. */
  #charge(at: number, elements: number, before: Before): void {
    const { totals, probe, clock } = this.#options;
    totals.inOperators += clock.now() - before.time;
    if (probe === undefined || before.cpu === undefined) return;
    bump(totals.sampledElements, at, elements);
    bump(totals.sampledTime, at, probe.cpu() - before.cpu);
  }

  #loop(link: Link, piece: Stretch, from: number, to: number): void {
    const { clock, output, totals } = this.#options;
    const began = clock.now();
    const spent = output.spent;
    try {
      const reached = link.segment.loop.run(piece.values, from, to, piece.sequence, piece.sub, piece.base);
      this.#fold(link, reached - from);
    } catch (error) {
      if (error instanceof Unwanted) throw error;
      throw this.#explain(link, error);
    }
    const inLoop = clock.now() - began - (output.spent - spent);
    totals.inOperators += inLoop;
    if (to > from) link.sampler?.fit(inLoop / (to - from), link.length);
  }

  #fold(link: Link, count: number): void {
    const { totals } = this.#options;
    const { offset, length } = link;
    link.segment.loop.fold(
      count,
      totals.elementsIn.subarray(offset, offset + length),
      totals.elementsOut.subarray(offset, offset + length),
    );
  }

  /** Which operator threw: the generated line in the error's stack says so. */
  #explain(link: Link, error: unknown): VenturiError {
    const owner = link.segment.ownerOf(error);
    const placed = owner === undefined ? undefined : this.#options.nodes[link.offset + owner];
    if (error instanceof VenturiError && error.code !== 'VENTURI_NOT_CLONEABLE') return error;
    if (error instanceof VenturiError) {
      const last = this.#options.nodes.at(-1);
      return new VenturiError(
        error.code,
        `what '${last?.id ?? this.#options.id}' gives cannot be sent on: ${error.message}`,
        {
          cause: error,
          ...(error.remedy === undefined ? {} : { remedy: error.remedy }),
        },
      );
    }
    const operator = placed === undefined ? undefined : { id: placed.id, location: placed.operator.location };
    return userFunctionFailed(operator, this.#options.id, link.sink.failed, error);
  }

  #worked(piece: Piece, began: Began): void {
    const { input, output, probe, clock, totals, memory } = this.#options;
    const stopped = this.#links.find(({ segment }) => segment.loop.stopped() >= 0);
    try {
      if (!input.continues) output.endChunk();
      const ended = clock.now();
      const worked = ended - began.time - (output.waited - began.waited);
      totals.chunks++;
      totals.busy += ended - this.#lastEnd - (input.waited + output.waited - this.#lastWaited);
      this.#lastEnd = ended;
      this.#lastWaited = input.waited + output.waited;
      this.#book();
      totals.bytesIn += piece.bytes;
      probe?.end(
        piece.number,
        began.time,
        ended,
        piece.to - piece.from,
        output.elements - began.elements,
        piece.bytes,
        output.bytes - began.bytes,
      );
      input.used(piece, worked);
      memory.check();
      if (stopped !== undefined) this.#stop(stopped.offset + stopped.segment.loop.stopped());
    } catch (error) {
      this.#unwind(error);
    }
  }

  /** Keeps the totals that others look at while the lane runs. */
  #book(): void {
    const { input, output, totals } = this.#options;
    totals.starved = input.waited;
    totals.backpressured = output.waited;
    totals.bytesOut = output.bytes;
    totals.done = input.done() ?? -1;
  }

  /** A `take` is full: either the run is over, or only this pass is. */
  #stop(at: number): void {
    if (this.#options.final[at] === true) {
      this.#flushFrom(at + 1, () => false);
      this.#options.output.mark('end');
      this.#finished = true;
    } else {
      this.#leavePass();
    }
  }

  #leavePass(): void {
    this.#discarding = true;
    this.#options.input.skipPass(this.#epoch);
  }

  #mark(piece: Piece, mark: 'epochEnd' | 'end'): void {
    const { input, output } = this.#options;
    output.startChunk(piece.number);
    const passesOn = this.#flushFrom(0, at => mark === 'epochEnd' && this.#absorbs(at));
    this.#discarding = false;
    for (const { segment } of this.#links) segment.loop.resume();
    if (mark === 'epochEnd') this.#resetPass(passesOn ? this.#options.nodes.length : this.#lastReset);
    // A pass that ends inside this stage is nobody else's business.
    if (passesOn) output.mark(mark);
    else output.flushEpoch();
    input.used(piece, 0);
    if (mark === 'end') this.#finished = true;
  }

  #lastReset = 0;

  /** Lets every operator from `from` on hand out what it holds, until one absorbs the mark. True when none did. */
  #flushFrom(from: number, absorbs: (at: number) => boolean): boolean {
    for (let at = from; at < this.#options.nodes.length; at++) {
      if (absorbs(at)) {
        this.#lastReset = at;
        return false;
      }
      const link = this.#links.find(({ offset, length }) => at >= offset && at < offset + length);
      if (link === undefined) continue;
      try {
        link.segment.loop.flush(at - link.offset);
      } catch (error) {
        if (error instanceof Unwanted) throw error;
        throw this.#explain(link, error);
      }
      this.#fold(link, 0);
    }
    return true;
  }

  /** A repeat swallows the ends of all passes but its last. */
  #absorbs(at: number): boolean {
    const node = this.#options.nodes[at]?.node;
    if (node?.kind !== 'repeat') return false;
    const times = node.settings.times === 'forever' ? Number.POSITIVE_INFINITY : Number(node.settings.times);
    const passes = (this.#passes[at] ?? 0) + 1;
    this.#passes[at] = passes < times ? passes : 0;
    return passes < times;
  }

  #resetPass(to: number): void {
    for (const { segment, offset, length } of this.#links) {
      for (let at = offset; at < Math.min(to, offset + length); at++) segment.loop.reset(at - offset);
    }
  }
}

/** Elements to push through a loop. */
type Stretch = Pick<Piece, 'values' | 'from' | 'to' | 'sequence' | 'sub' | 'base'>;

interface Before {
  readonly time: number;
  readonly cpu: number | undefined;
}

interface Began {
  readonly time: number;
  readonly waited: number;
  readonly elements: number;
  readonly bytes: number;
}

const bump = (column: Float64Array, at: number, by: number): void => {
  column[at] = (column[at] ?? 0) + by;
};

const isAsync = (call: UserFunction | undefined): call is UserFunction =>
  call !== undefined && Object.prototype.toString.call(call) === '[object AsyncFunction]';
