import { Random } from '../../math/random.ts';
import { VenturiError } from '../../model/errors.ts';
import type { Context, WorkerContext } from '../api/context.ts';
import type { PlacedNode } from '../compile/graph.ts';
import { isAsync, isPerWorker, policyOf, type UserFunction } from '../compile/node.ts';
import { operatorKind } from '../operators/registry.ts';
import { ambient, callSites } from './ambient.ts';
import { AsyncCalls, type Invoke } from './async-calls.ts';
import type { Clock } from './clock.ts';
import { drawPlaces, ElementContext } from './element-context.ts';
import { promiseReturned, userFunctionFailed } from './failure.ts';
import { guard, Skips } from './guard.ts';
import type { Piece } from './input.ts';
import type { Ledger } from './ledger.ts';
import { type Output, Unwanted } from './output.ts';
import { Sampler } from './sampler.ts';
import { CompiledSegment, Promised, type Series } from './segment.ts';
import { Collected, type Sink } from './sink.ts';
import type { SharedTotals } from './totals.ts';

/** Elements to push through a loop. */
type Stretch = Pick<Piece, 'values' | 'from' | 'to' | 'sequence' | 'sub' | 'base'>;

export interface ProgramParts {
  /** The stage. */
  readonly id: string;
  readonly nodes: readonly PlacedNode[];
  readonly series: Series | undefined;
  readonly output: Output;
  readonly totals: SharedTotals;
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly seed: number;
  readonly worker: WorkerContext;
  readonly identity: boolean;
  /** File for elements that are given up. */
  readonly deadLetter: string | undefined;
  /** Time single elements inside the loops. */
  readonly timed: boolean;
  /** Operators that may be given elements they have had, in a run that was resumed. */
  readonly discards: (at: number) => boolean;
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
  /** What its operators draw from the engine, by position in the stage. */
  readonly randoms: readonly { readonly at: number; readonly random: Random }[];
  /** An operator drew from the runtime: from the next chunk on the loop itself says which. */
  settling: boolean;
  /** Until then the loop does not look, and the call stack tells whose draw it was. */
  readonly trace: () => void;
}

interface AsyncCall {
  readonly at: number;
  readonly calls: AsyncCalls;
  readonly yields: boolean;
}

/** Operators whose functions may be async. */
const AWAITED = new Set(['map', 'forEach']);

/**
 * A stage's operators made ready in one lane: the user's functions set up, generated loops, and between them the async
 * functions, whose calls are awaited.
 */
export class Program {
  readonly #parts: ProgramParts;
  readonly #links: Link[] = [];
  readonly #closers: { readonly placed: PlacedNode; close(): unknown }[] = [];
  readonly #skips: Skips[] = [];
  #epoch = 0;

  private constructor(parts: ProgramParts) {
    this.#parts = parts;
  }

  static async open(parts: ProgramParts): Promise<Program> {
    const program = new Program(parts);
    try {
      await program.#setUp();
    } catch (error) {
      await program.close().catch(() => undefined);
      throw error;
    }
    return program;
  }

  /** Elements that were given up, in sentences. */
  get warnings(): readonly string[] {
    return this.#skips.flatMap(({ warning }) => warning ?? []);
  }

  /** Elements a piece should hold so that async calls do not wait for the next one; 0 where none is async. */
  get wantedAtOnce(): number {
    return Math.max(...this.#links.map(({ call }) => call?.calls.wantedAtOnce ?? 0));
  }

  async #setUp(): Promise<void> {
    const { nodes, worker } = this.#parts;
    const calls: (UserFunction | undefined)[] = [];
    for (const [at, placed] of nodes.entries()) {
      const { node, operator } = placed;
      if (!isPerWorker(node.call)) {
        calls.push(this.#guarded(placed, node.call));
        continue;
      }
      try {
        ambient.take();
        const made = await node.call.setup(worker);
        this.#parts.ledger.drew(at);
        if (typeof made?.call !== 'function') throw new TypeError('the set-up returned no { call }');
        calls.push(this.#guarded(placed, made.call));
        if (made.close !== undefined) this.#closers.unshift({ placed, close: made.close });
      } catch (error) {
        throw userFunctionFailed(operator, this.#parts.id, undefined, error);
      }
    }
    this.#link(calls);
  }

  #guarded({ id, node }: PlacedNode, call: UserFunction | undefined): UserFunction | undefined {
    const policy = policyOf(node);
    if (policy === undefined || call === undefined) return call;
    const skips = new Skips(id, this.#parts.deadLetter);
    this.#skips.push(skips);
    return guard(call, policy, node.kind, skips);
  }

  /** Cuts the stage behind every async function: what lies between becomes one loop. */
  #link(calls: readonly (UserFunction | undefined)[]): void {
    const { nodes } = this.#parts;
    let offset = 0;
    for (let at = 0; at <= nodes.length; at++) {
      const call = calls[at];
      const last = at === nodes.length;
      const awaited = isAsync(call) && AWAITED.has(nodes[at]?.node.kind ?? '');
      if (!last && !awaited) continue;
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
    const { id, nodes, seed, worker, identity, output, totals, timed, series } = this.#parts;
    const members = nodes.slice(from, to);
    const wantsContext = (at: number): boolean => (calls[at]?.length ?? 0) >= 2;
    const contexts = nodes
      .slice(from, to + 1)
      .map((placed, at) => (wantsContext(from + at) ? new ElementContext(placed.id, seed, worker.signal) : undefined));
    const sink = asyncCall === undefined ? output : new Collected();
    const sampler = timed ? new Sampler(totals, from) : undefined;
    const { ambientDraws } = totals;
    const places = members.map(() => new Random());
    const randoms = members.flatMap(({ node }, at) => {
      const random = operatorKind(node.kind).draws === true ? places[at] : contexts[at]?.rng;
      return random === undefined ? [] : [{ at: from + at, random }];
    });
    const segment = new CompiledSegment(
      id,
      {
        operators: members.map(({ node }, at) => ({
          kind: operatorKind(node.kind),
          settings: node.settings,
          wantsContext: wantsContext(from + at),
          skips: policyOf(node)?.skip ?? false,
          discards: this.#parts.discards(from + at),
        })),
        calls: calls.slice(from, to),
        contexts,
        draws: members.map(({ id: operator, node }, at) =>
          drawPlaces(operator, Number(node.settings.seed ?? seed), () => this.#epoch, places[at] ?? new Random()),
        ),
        sink,
        sampler,
        settle: at => {
          ambientDraws[from + at] = (ambientDraws[from + at] ?? 0) + ambient.take();
        },
      },
      { series: from === 0 ? series : undefined, identity, flat: sink === output && output.rowLength > 0 },
    );
    const node = nodes[to]?.node;
    const link: Link = {
      segment,
      sink,
      offset: from,
      length: to - from,
      sampler,
      contexts,
      randoms,
      call:
        asyncCall === undefined
          ? undefined
          : {
              at: to,
              calls: new AsyncCalls(this.#invoke(to, asyncCall, wantsContext(to)), node?.concurrency ?? 1),
              yields: node?.kind === 'map',
            },
      settling: false,
      trace: () => {
        link.settling = true;
        this.#parts.ledger.drew(from + (segment.ownerAmong(callSites()) ?? members.length - 1));
      },
    };
    return link;
  }

  /** Tears down what was set up. One that fails does not keep the others open. */
  async close(): Promise<void> {
    const failures: unknown[] = [];
    for (const { close, placed } of this.#closers.splice(0)) {
      try {
        await close();
      } catch (error) {
        failures.push(userFunctionFailed(placed.operator, this.#parts.id, undefined, error));
      }
    }
    if (failures.length > 0) throw failures[0];
  }

  enterEpoch(epoch: number): void {
    this.#epoch = epoch;
    for (const { contexts } of this.#links) {
      for (const context of contexts) if (context !== undefined) context.epoch = epoch;
    }
  }

  /** Pushes elements through everything. Synchronous unless a function is not. */
  push(piece: Stretch): void | Promise<void> {
    return this.#push(0, piece);
  }

  /** Pushes elements through the loop of link `at` and everything behind it. */
  #push(at: number, piece: Stretch): void | Promise<void> {
    const link = this.#links[at];
    if (link === undefined) return undefined;
    if (link.call === undefined) {
      this.#loop(link, piece, piece.from, piece.to);
      return undefined;
    }
    return this.#settled(link.call.calls, this.#pushAsync(at, link, link.call, piece));
  }

  /** Calls go on while the loop makes elements for further ones, and while results pass the links behind. */
  async #pushAsync(at: number, link: Link, call: AsyncCall, piece: Stretch): Promise<void> {
    const { slice } = call.calls;
    for (let from = piece.from; from < piece.to; from += slice) {
      this.#loop(link, piece, from, Math.min(piece.to, from + slice));
      // A `take` before the function that is full now still wants what it let through.
      await this.#callCollected(at, link, call, from + slice >= piece.to || this.stoppedAt() !== undefined);
      if (this.stoppedAt() !== undefined) return;
    }
  }

  /** Leaves no call under way. What failed first is told, and that may be one of them. */
  async #settled(calls: AsyncCalls, work: Promise<void>): Promise<void> {
    try {
      await work;
    } catch (error) {
      await calls.abandon();
      throw error;
    }
    await calls.abandon();
  }

  /** What the loop of link `at` collected goes through its async function and on; with `last`, all of it. */
  async #callCollected(at: number, link: Link, call: AsyncCall, last: boolean): Promise<void> {
    const { ledger } = this.#parts;
    const { calls } = call;
    const sink = link.sink as Collected;
    let before = ledger.before();
    calls.add(sink, sink.count);
    sink.clear();
    do {
      await calls.progress(last);
      const { calls: done, ...results } = calls.take();
      const { length } = results.values;
      ledger.passed(call.at, done, call.yields ? length : 0);
      ledger.charge(call.at, done, before);
      if (call.yields && length > 0) {
        // No loop sees what leaves an async function, so its size is looked at here.
        link.sampler?.sized(call.at - link.offset, results.values[0]);
        await this.#push(at + 1, { ...results, from: 0, to: length, base: 0 });
      }
      before = ledger.before();
    } while (last && !calls.empty && (this.stoppedAt() ?? 0) <= call.at);
  }

  /** The operator that wants no more elements; of several, the last. */
  stoppedAt(): number | undefined {
    const link = this.#links.findLast(({ segment }) => segment.loop.stopped() >= 0);
    return link === undefined ? undefined : link.offset + link.segment.loop.stopped();
  }

  /** How the async function at `at` is called on one element. */
  #invoke(at: number, call: UserFunction, wantsContext: boolean): Invoke {
    const { id, nodes, seed, totals, worker } = this.#parts;
    const placed = nodes[at];
    if (placed === undefined) throw new Error(`no operator at ${at}`);
    const invoke = call as (element: unknown, context?: Context) => unknown;
    return async (element, sequence, sub) => {
      try {
        if (!wantsContext) return await invoke(element);
        const own = new ElementContext(placed.id, seed, worker.signal);
        own.epoch = this.#epoch;
        const result = await invoke(element, own.of(sequence, sub));
        totals.keyedDraws[at] = (totals.keyedDraws[at] ?? 0) + own.rng.draws;
        return result;
      } catch (error) {
        throw userFunctionFailed(placed.operator, id, sequence, error);
      }
    };
  }

  #loop(link: Link, piece: Stretch, from: number, to: number): void {
    const { clock, output, totals } = this.#parts;
    const began = clock.now();
    const spent = output.spent;
    try {
      this.#fold(link, this.#runLoop(link, piece, from, to) - from);
    } catch (error) {
      if (error instanceof Unwanted) throw error;
      throw this.#explain(link, error);
    }
    const inLoop = clock.now() - began - (output.spent - spent);
    totals.inOperators += inLoop;
    if (to > from) link.sampler?.fit(inLoop / (to - from), link.length);
  }

  /** The loop is left whenever the output is full: emptying it is not the loop's business. */
  #runLoop(link: Link, piece: Stretch, from: number, to: number): number {
    const { loop } = link.segment;
    const { sink } = link;
    let reached = from;
    do {
      // What was drawn outside operators is nobody's.
      ambient.take();
      ambient.settling = link.settling;
      ambient.trace = link.settling ? undefined : link.trace;
      try {
        reached = loop.run(piece.values, reached, to, piece.sequence, piece.sub, piece.base);
      } finally {
        ambient.trace = undefined;
      }
      if (sink.count >= sink.limit) sink.full(reached < to);
    } while (reached < to && loop.stopped() < 0);
    return reached;
  }

  #fold(link: Link, count: number): void {
    const { totals } = this.#parts;
    for (const { at, random } of link.randoms) totals.keyedDraws[at] = random.draws;
    const { offset, length } = link;
    link.segment.loop.fold(
      count,
      totals.elementsIn.subarray(offset, offset + length),
      totals.elementsOut.subarray(offset, offset + length),
    );
  }

  /** Which operator threw: the generated line in the error's stack says so. */
  #explain(link: Link, error: unknown): VenturiError {
    if (error instanceof VenturiError) return error;
    const owner = link.segment.ownerOf(error);
    const operator = owner === undefined ? undefined : this.#parts.nodes[link.offset + owner]?.operator;
    const index = owner === undefined ? undefined : link.segment.elementAt(owner);
    if (error instanceof Promised) return promiseReturned(operator, index);
    return userFunctionFailed(operator, this.#parts.id, index, error);
  }

  /** Lets one operator hand out what it holds back. */
  flush(at: number): void | Promise<void> {
    const index = this.#links.findIndex(({ offset, length }) => at >= offset && at < offset + length);
    const link = this.#links[index];
    if (link === undefined) return undefined;
    ambient.take();
    try {
      link.segment.loop.flush(at - link.offset);
      this.#parts.ledger.drew(at);
    } catch (error) {
      if (error instanceof Unwanted) throw error;
      throw this.#explain(link, error);
    }
    this.#fold(link, 0);
    if (link.call === undefined || link.sink.count === 0) return undefined;
    return this.#settled(link.call.calls, this.#callCollected(index, link, link.call, true));
  }

  /** A new pass begins for the operators before position `to`. */
  reset(to: number): void {
    for (const { segment, offset, length } of this.#links) {
      for (let at = offset; at < Math.min(to, offset + length); at++) {
        ambient.take();
        segment.loop.reset(at - offset);
        this.#parts.ledger.drew(at);
      }
    }
  }

  /** What operator `at` keeps between elements; undefined: nothing. */
  save(at: number): object | undefined {
    const link = this.#linkOf(at);
    return link?.segment.loop.save(at - link.offset);
  }

  load(at: number, saved: unknown): void {
    const link = this.#linkOf(at);
    link?.segment.loop.load(at - link.offset, saved);
  }

  /** The next `count` elements that would reach operator `at` are dropped. */
  discard(at: number, count: number): void {
    const link = this.#linkOf(at);
    link?.segment.loop.discard(at - link.offset, count);
  }

  #linkOf(at: number): Link | undefined {
    return this.#links.find(({ offset, length }) => at >= offset && at < offset + length);
  }

  /** Whoever wanted no more wants more again. */
  resume(): void {
    for (const { segment } of this.#links) segment.loop.resume();
  }
}
