import { caught } from '../../../errors/thrown.ts';
import { Random } from '../../../math/random.ts';
import { VenturiError } from '../../../model/errors.ts';
import type { PlacedNode } from '../../compile/graph.ts';
import type { UserFunction } from '../../compile/node.ts';
import { fusedOperators, wantsContext } from '../../compile/segments.ts';
import type { WorkerContext } from '../../contract/context.ts';
import type { GeneratedLoop } from '../../contract/probe.ts';
import { type OperatorKind, passesOn } from '../../operators/kind.ts';
import { operatorKind } from '../../operators/registry.ts';
import { Stacking } from '../../operators/stacking.ts';
import { ambient, callSites } from '../calls/ambient.ts';
import { drawIndices, ElementContext } from '../calls/element-context.ts';
import { isOfData, promiseReturned, userFunctionFailed } from '../calls/failure.ts';
import { inLightOf, Stopped, type StopView } from '../calls/stop.ts';
import type { Piece } from './input.ts';
import type { Ledger, LedgerParts } from './ledger.ts';
import { Unwanted } from './output.ts';
import { Sampler } from './sampler.ts';
import { CompiledSegment, Promised, type Series } from './segment.ts';
import type { Sink } from './sink.ts';

/** Elements to push through a loop. */
export type Slice = Pick<Piece, 'values' | 'from' | 'to' | 'sequence' | 'sub' | 'base'>;

/** What the segments of a stage share. */
export interface StageParts extends Pick<LedgerParts, 'output' | 'totals' | 'clock'> {
  /** The stage. */
  readonly id: string;
  /** Every operator of the stage; a source, a join or a cache stands first. */
  readonly nodes: readonly PlacedNode[];
  readonly series: Series | undefined;
  readonly ledger: Ledger;
  readonly seed: number;
  readonly worker: WorkerContext;
  readonly stop: StopView;
  /** Which elements these are matters to an operator here or downstream. */
  readonly identity: boolean;
  /** Time single elements inside the loops. */
  readonly timed: boolean;
  /** Operators that may be given elements they have had, in a run that was resumed. */
  readonly discards: (at: number) => boolean;
}

/**
 * A segment at its place in the stage: runs its loop, keeps its counts, and knows which operator threw or drew. Positions
 * are those of the stage.
 */
export class PlacedSegment {
  /** Position of its first operator. */
  readonly offset: number;
  readonly length: number;
  readonly sampler: Sampler | undefined;
  readonly #parts: StageParts;
  readonly #sink: Sink;
  readonly #segment: CompiledSegment;
  readonly #contexts: readonly (ElementContext | undefined)[];
  /** What its operators draw from the engine. */
  readonly #randoms: readonly { readonly at: number; readonly random: Random }[];
  #epoch = 0;
  /** ns that the lane's operators had taken when its loop last ended. */
  #spent = 0;
  /** An operator drew from the runtime: from the next chunk on the loop itself says which. */
  #settling = false;
  /** Until then the loop does not look, and the call stack tells whose draw it was. */
  readonly #trace: () => void;

  /** Of the operators from `from` up to `to`; `calls` are those of the whole stage. */
  constructor(parts: StageParts, from: number, to: number, calls: readonly (UserFunction | undefined)[], sink: Sink) {
    const { id, nodes, seed, worker, identity, output, totals, timed, series } = parts;
    const members = nodes.slice(from, to);
    const own = calls.slice(from, to);
    const kinds = members.map(({ node }) => operatorKind(node.kind));
    const stacks = members.map(({ node }, at) =>
      node.kind === 'stack'
        ? new Stacking(Number(node.settings.size), kinds.slice(at + 1).every(passesOn) ? sink : undefined)
        : undefined,
    );
    const contexts = members.map((placed, at) =>
      wantsContext(own[at]) ? new ElementContext(placed.id, seed, worker, filledBy(at, kinds, stacks)) : undefined,
    );
    const { ambientDraws } = totals;
    const indices = members.map(() => new Random());
    this.#parts = parts;
    this.#sink = sink;
    this.#contexts = contexts;
    this.offset = from;
    this.length = to - from;
    this.sampler = timed ? new Sampler(totals, from) : undefined;
    this.#randoms = members.flatMap((_, at) => {
      const random = kinds[at]?.draws === true ? indices[at] : contexts[at]?.rng;
      return random === undefined ? [] : [{ at: from + at, random }];
    });
    this.#segment = new CompiledSegment(
      id,
      {
        operators: fusedOperators(members, own, at => parts.discards(from + at)),
        calls: own,
        contexts,
        draws: members.map(({ id: operator, node }, at) =>
          drawIndices(operator, Number(node.settings.seed ?? seed), () => this.#epoch, indices[at] ?? new Random()),
        ),
        stacks,
        sink,
        sampler: this.sampler,
        settle: at => {
          ambientDraws[from + at] = (ambientDraws[from + at] ?? 0) + ambient.take();
        },
      },
      { series: from === 0 ? series : undefined, identity, flat: sink === output && output.rowLength > 0 },
    );
    this.#trace = () => {
      this.#settling = true;
      parts.ledger.drew(from + (this.#segment.ownerAmong(callSites()) ?? members.length - 1));
    };
  }

  /** Its generated text, by line: the operator each belongs to. */
  get listing(): GeneratedLoop {
    const { file, firstLine, text, owners, tasks } = this.#segment;
    const placed = owners.map(owner => (owner === undefined ? undefined : this.offset + owner));
    return { file, firstLine, text, owners: placed, tasks };
  }

  holds(at: number): boolean {
    return at >= this.offset && at < this.offset + this.length;
  }

  enterEpoch(epoch: number): void {
    this.#epoch = epoch;
    for (const context of this.#contexts) if (context !== undefined) context.epoch = epoch;
  }

  /** Pushes the elements of `piece` from `from` up to `to` through the loop. */
  run(piece: Slice, from: number, to: number): void {
    const { clock, output, totals } = this.#parts;
    const began = clock.now();
    const spent = output.spent;
    try {
      this.#fold(this.#runLoop(piece, from, to) - from);
    } catch (error) {
      throw this.#explained(error);
    }
    const inLoop = clock.now() - began - (output.spent - spent);
    totals.inOperators += inLoop;
    // By all that the lane's operators have done since: reading these elements, too.
    if (to > from) this.sampler?.fit((totals.inOperators - this.#spent) / (to - from), this.length);
    this.#spent = totals.inOperators;
  }

  /** The loop is left whenever the output is full: emptying it is not the loop's business. */
  #runLoop(piece: Slice, from: number, to: number): number {
    const { loop } = this.#segment;
    const sink = this.#sink;
    let reached = from;
    do {
      // What was drawn outside operators is nobody's.
      ambient.take();
      ambient.settling = this.#settling;
      ambient.trace = this.#settling ? undefined : this.#trace;
      try {
        reached = loop.run(piece.values, reached, to, piece.sequence, piece.sub, piece.base);
      } finally {
        ambient.trace = undefined;
      }
      if (sink.count >= sink.limit) sink.full(reached < to);
    } while (reached < to && loop.stopped() < 0);
    return reached;
  }

  #fold(count: number): void {
    const { totals } = this.#parts;
    for (const { at, random } of this.#randoms) totals.keyedDraws[at] = random.draws;
    const { offset, length } = this;
    this.#segment.loop.fold(
      count,
      totals.elementsIn.subarray(offset, offset + length),
      totals.elementsOut.subarray(offset, offset + length),
    );
  }

  /** Which operator threw: the generated line in the error's stack says so. */
  #explained(thrown: unknown): unknown {
    const error = caught(thrown);
    if (error instanceof Unwanted || error instanceof Stopped) return error;
    const { nodes, stop } = this.#parts;
    if (error instanceof VenturiError && !isOfData(error)) return inLightOf(stop, error, error);
    const owner = this.#segment.ownerOf(error);
    const operator = owner === undefined ? undefined : nodes[this.offset + owner]?.operator;
    const index = owner === undefined ? undefined : this.#segment.elementAt(owner);
    if (error instanceof Promised) return promiseReturned(operator, index);
    return inLightOf(stop, userFunctionFailed(operator, this.#parts.id, index, error), error);
  }

  /** The operator to whose line the stack of `error` leads. */
  ownerOf(error: unknown): number | undefined {
    const owner = this.#segment.lineOwner(error);
    return owner === undefined ? undefined : this.offset + owner;
  }

  stoppedAt(): number | undefined {
    const at = this.#segment.loop.stopped();
    return at < 0 ? undefined : this.offset + at;
  }

  resume(): void {
    this.#segment.loop.resume();
  }

  flush(at: number): void {
    ambient.take();
    try {
      this.#segment.loop.flush(at - this.offset);
      this.#parts.ledger.drew(at);
    } catch (error) {
      throw this.#explained(error);
    }
    this.#fold(0);
  }

  reset(at: number): void {
    ambient.take();
    try {
      this.#segment.loop.reset(at - this.offset);
    } catch (error) {
      const { id, nodes, stop } = this.#parts;
      throw inLightOf(stop, userFunctionFailed(nodes[at]?.operator, id, undefined, error), error);
    }
    this.#parts.ledger.drew(at);
  }

  save(at: number): object | undefined {
    return this.#segment.loop.save(at - this.offset);
  }

  load(at: number, saved: unknown): void {
    this.#segment.loop.load(at - this.offset, saved);
  }

  discard(at: number, count: number): void {
    this.#segment.loop.discard(at - this.offset, count);
  }
}

/** The batch that takes in what operator `at` makes, as it is. */
function filledBy(
  at: number,
  kinds: readonly OperatorKind[],
  stacks: readonly (Stacking | undefined)[],
): Stacking | undefined {
  const next = kinds.findIndex((kind, other) => other > at && !passesOn(kind));
  return kinds[at]?.kind === 'map' ? stacks[next] : undefined;
}
