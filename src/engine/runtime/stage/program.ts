import { badOption } from '../../../model/option.ts';
import { MADE_NS, MOST_ELEMENTS } from '../../compile/chunk-size.ts';
import type { PlacedNode } from '../../compile/graph.ts';
import { isPerWorker, policyOf, type UserFunction } from '../../compile/node.ts';
import { cutSegments, wantsContext } from '../../compile/segments.ts';
import type { Context } from '../../contract/context.ts';
import type { GeneratedLoop } from '../../contract/probe.ts';
import type { OpenCall } from '../books/work-mark.ts';
import { ambient } from '../calls/ambient.ts';
import { AsyncCalls, type Invoke } from '../calls/async-calls.ts';
import { CallSignals } from '../calls/call-signals.ts';
import { ElementContext } from '../calls/element-context.ts';
import { userFunctionFailed } from '../calls/failure.ts';
import { guard, Skips } from '../calls/guard.ts';
import { inLightOf, isAnswer } from '../calls/stop.ts';
import { timedCalls } from '../calls/timed-calls.ts';
import type { MemoryGuard } from './memory-guard.ts';
import { offering } from './offering.ts';
import { PlacedSegment, type Slice, type StageParts } from './placed-segment.ts';
import { Collected } from './sink.ts';

export interface ProgramParts extends StageParts {
  /** Operators that make whole batches of every chunk: it may then take long, and make much. */
  readonly gatherers: readonly number[];
  readonly memory: Pick<MemoryGuard, 'check'>;
  /** File for elements that are given up. */
  readonly deadLetter: string | undefined;
}

/** A segment and, behind it, the async operator that feeds the next one. */
interface Link {
  readonly segment: PlacedSegment;
  readonly call: AsyncCall | undefined;
}

interface AsyncCall {
  readonly at: number;
  readonly calls: AsyncCalls;
  /** What the loop before it made: its elements to come. */
  readonly collected: Collected;
  readonly yields: boolean;
}

/** Plain JavaScript may return anything, and a function has a `call` of its own. */
function checkSetUp({ id, operator }: PlacedNode, made: unknown): void {
  const isFunction = typeof made === 'function';
  if (!isFunction && typeof (made as { readonly call?: unknown } | null | undefined)?.call === 'function') return;
  const what = isFunction
    ? 'a function'
    : made === null
      ? 'null'
      : `${typeof made === 'object' ? 'an object' : typeof made} without a function call`;
  const location = operator.location === undefined ? '' : `; it stands at ${operator.location}`;
  throw badOption(`the set-up of '${id}' returned ${what}`, `return { call } or { call, close } from it${location}`);
}

/**
 * A stage's operators made ready in one lane: the user's functions set up, generated loops, and between them the async
 * functions, whose calls are awaited.
 */
export class Program {
  readonly #parts: ProgramParts;
  readonly #links: Link[] = [];
  readonly #closers: { readonly placed: PlacedNode; close(): unknown }[] = [];
  readonly #skips: Skips[] = [];
  /** Of its operators, as their authors or set-ups gave them. */
  readonly functions: (UserFunction | undefined)[] = [];
  readonly #warners: (() => readonly string[])[] = [];
  /** In the order in which they began. */
  readonly #openCalls = new Set<OpenCall>();
  #epoch = 0;
  /** Elements that are worked on between two looks at the memory. */
  #slice = 1;

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

  /** Elements that were given up, and what functions have to say, in sentences. */
  get warnings(): readonly string[] {
    return [...this.#skips.flatMap(({ warning }) => warning ?? []), ...this.#warners.flatMap(warnings => warnings())];
  }

  get listings(): readonly GeneratedLoop[] {
    return this.#links.map(({ segment }) => segment.listing);
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
        this.functions.push(node.call);
        calls.push(this.#guarded(placed, node.call));
        continue;
      }
      try {
        ambient.take();
        const made = await node.call.setup(worker);
        this.#parts.ledger.drew(at);
        checkSetUp(placed, made);
        this.functions.push(made.call);
        calls.push(this.#guarded(placed, made.call));
        if (made.warnings !== undefined) this.#warners.push(made.warnings);
        if (made.close !== undefined) this.#closers.unshift({ placed, close: made.close });
      } catch (error) {
        throw inLightOf(this.#parts.stop, userFunctionFailed(operator, this.#parts.id, undefined, error), error);
      }
    }
    this.#link(calls);
  }

  #guarded({ id, node }: PlacedNode, call: UserFunction | undefined): UserFunction | undefined {
    const policy = policyOf(node);
    if (policy === undefined || call === undefined) return call;
    const skips = new Skips(id, this.#parts.deadLetter);
    this.#skips.push(skips);
    return guard(call, policy, node.kind, skips, this.#parts.stop.stopping);
  }

  #link(calls: readonly (UserFunction | undefined)[]): void {
    for (const { from, to, awaits } of cutSegments(this.#parts.nodes, calls)) {
      this.#links.push(this.#linkOver(from, to, calls, awaits ? calls[to] : undefined));
    }
  }

  #linkOver(
    from: number,
    to: number,
    calls: readonly (UserFunction | undefined)[],
    asyncCall: UserFunction | undefined,
  ): Link {
    if (asyncCall === undefined) {
      return { segment: new PlacedSegment(this.#parts, from, to, calls, this.#parts.output), call: undefined };
    }
    const collected = new Collected();
    const node = this.#parts.nodes[to]?.node;
    return {
      segment: new PlacedSegment(this.#parts, from, to, calls, collected),
      call: {
        at: to,
        calls: new AsyncCalls(this.#timed(to, this.#invoke(to, asyncCall)), node?.concurrency ?? 1),
        collected,
        yields: node?.kind === 'map',
      },
    };
  }

  /** Tears down what was set up. One that fails does not keep the others open. */
  async close(): Promise<void> {
    const failures: unknown[] = [];
    for (const { close, placed } of this.#closers.splice(0)) {
      try {
        await close();
      } catch (error) {
        if (isAnswer(this.#parts.stop, error)) continue;
        failures.push(userFunctionFailed(placed.operator, this.#parts.id, undefined, error));
      }
    }
    if (failures.length > 0) throw failures[0];
  }

  enterEpoch(epoch: number): void {
    this.#epoch = epoch;
    for (const { segment } of this.#links) segment.enterEpoch(epoch);
  }

  /** Pushes elements through everything. Synchronous unless a function is not. */
  push(piece: Slice): void | Promise<void> {
    return this.#push(0, piece);
  }

  /** Pushes elements through the loop of link `at` and everything behind it. */
  #push(at: number, piece: Slice): void | Promise<void> {
    const link = this.#links[at];
    if (link === undefined) return undefined;
    if (link.call === undefined) {
      this.#run(link.segment, piece);
      return undefined;
    }
    return this.#settled(link.call.calls, this.#pushAsync(at, link, link.call, piece));
  }

  /** Where a chunk is a batch or more, the memory is looked at on the way. */
  #run(segment: PlacedSegment, piece: Slice): void {
    const { clock, gatherers, memory } = this.#parts;
    if (gatherers.length === 0) {
      segment.run(piece, piece.from, piece.to);
      return;
    }
    for (let from = piece.from; from < piece.to; ) {
      const to = Math.min(piece.to, from + this.#slice);
      const began = clock.now();
      segment.run(piece, from, to);
      const ns = clock.now() - began;
      if (ns < MADE_NS / 2 && to < piece.to) this.#slice = Math.min(MOST_ELEMENTS, 2 * this.#slice);
      else if (ns > 2 * MADE_NS) this.#slice = Math.max(1, this.#slice >> 1);
      from = to;
      if (from < piece.to) memory.check();
    }
  }

  /** Calls go on while the loop makes elements for further ones, and while results pass the links behind. */
  async #pushAsync(at: number, link: Link, call: AsyncCall, piece: Slice): Promise<void> {
    const { slice } = call.calls;
    for (let from = piece.from; from < piece.to; from += slice) {
      link.segment.run(piece, from, Math.min(piece.to, from + slice));
      // A `take` before the function that is full now still wants what it let through.
      await this.#callCollected(at, link, call, from + slice >= piece.to || this.stoppedAt() !== undefined);
      if (this.stoppedAt() !== undefined) return;
      if (this.#parts.gatherers.length > 0) this.#parts.memory.check();
    }
  }

  /** Leaves no call under way. What failed first is told, and that may be one of them. */
  async #settled(calls: AsyncCalls, work: Promise<void>): Promise<void> {
    try {
      await work;
    } finally {
      await calls.abandon();
    }
  }

  /** What the loop of link `at` collected goes through its async function and on; with `last`, all of it. */
  async #callCollected(at: number, link: Link, call: AsyncCall, last: boolean): Promise<void> {
    const { ledger } = this.#parts;
    const { calls, collected } = call;
    let before = ledger.before();
    calls.add(collected, collected.count);
    collected.clear();
    do {
      await offering(this.#parts.output, calls.progress(last));
      const { calls: done, ...results } = calls.take();
      const { length } = results.values;
      ledger.passed(call.at, done, call.yields ? length : 0);
      ledger.charge(call.at, done, before);
      if (call.yields && length > 0) {
        // No loop sees what leaves an async function, so its size is looked at here.
        link.segment.sampler?.sized(call.at - link.segment.offset, results.values[0]);
        await this.#push(at + 1, { ...results, from: 0, to: length, base: 0 });
      }
      before = ledger.before();
    } while (last && !calls.empty && (this.stoppedAt() ?? 0) <= call.at);
  }

  ownerOf(error: unknown): number | undefined {
    return this.#links.find(({ segment }) => segment.ownerOf(error) !== undefined)?.segment.ownerOf(error);
  }

  /** The operator that wants no more elements; of several, the last. */
  stoppedAt(): number | undefined {
    return this.#links.findLast(({ segment }) => segment.stoppedAt() !== undefined)?.segment.stoppedAt();
  }

  get oldestCall(): OpenCall | undefined {
    return this.#openCalls.values().next().value;
  }

  #invoke(at: number, call: UserFunction): Invoke {
    const { id, nodes, seed, totals, worker } = this.#parts;
    const placed = nodes[at];
    if (placed === undefined) throw new Error(`no operator at ${at}`);
    const invoke = call as (element: unknown, context?: Context) => unknown;
    const isTold = wantsContext(call);
    const signals = new CallSignals(worker.signal);
    return async (element, sequence, sub) => {
      const told = signals.open();
      const open: OpenCall = { at, element: sequence, since: this.#parts.clock.now() };
      this.#openCalls.add(open);
      try {
        if (!isTold) return await invoke(element);
        const own = new ElementContext(placed.id, seed, told);
        own.epoch = this.#epoch;
        const result = await invoke(element, own.of(sequence, sub));
        totals.keyedDraws[at] = (totals.keyedDraws[at] ?? 0) + own.rng.draws;
        return result;
      } catch (error) {
        throw inLightOf(this.#parts.stop, userFunctionFailed(placed.operator, id, sequence, error), error);
      } finally {
        told.close();
        this.#openCalls.delete(open);
      }
    };
  }

  /** Calls are timed where the run is recorded. */
  #timed(at: number, invoke: Invoke): Invoke {
    return this.#parts.timed ? timedCalls(invoke, at, this.#parts.totals) : invoke;
  }

  /** Lets one operator hand out what it holds back. */
  flush(at: number): void | Promise<void> {
    const index = this.#links.findIndex(({ segment }) => segment.holds(at));
    const link = this.#links[index];
    if (link === undefined) return undefined;
    link.segment.flush(at);
    if (link.call === undefined || link.call.collected.count === 0) return undefined;
    return this.#settled(link.call.calls, this.#callCollected(index, link, link.call, true));
  }

  /** A new pass begins for the operators before position `to`. */
  reset(to: number): void {
    for (const { segment } of this.#links) {
      for (let at = segment.offset; at < to && segment.holds(at); at++) segment.reset(at);
    }
  }

  /** Where operator `at` is part of the loop; undefined: it is an async function between two. */
  segmentOf(at: number): PlacedSegment | undefined {
    return this.#links.find(({ segment }) => segment.holds(at))?.segment;
  }

  resume(): void {
    for (const { segment } of this.#links) segment.resume();
  }
}
