import { VenturiError } from '../../../model/errors.ts';
import type { PlacedNode } from '../../compile/graph.ts';
import type { Position, SentLandmark } from '../books/position.ts';
import type { OpenCall, WorkMark } from '../books/work-mark.ts';
import { cannotBeSent, userFunctionFailed } from '../calls/failure.ts';
import { inLightOf, isAnswer, Stopped } from '../calls/stop.ts';
import { type StageJournal, UNKNOWN } from '../checkpoint/stage-journal.ts';
import { readState } from '../chunk/index.ts';
import { Breath } from './breath.ts';
import type { Piece } from './input.ts';
import { type Before, type Began, Ledger, type LedgerParts } from './ledger.ts';
import type { MemoryGuard } from './memory-guard.ts';
import { offering } from './offering.ts';
import { Unwanted } from './output.ts';
import { PassEnds } from './pass-ends.ts';
import { Program, type ProgramParts } from './program.ts';
import { WholeBatches } from './whole-batches.ts';

export interface StageOptions extends LedgerParts, Omit<ProgramParts, 'ledger' | 'series' | 'timed' | 'discards'> {
  /** Per node: passes of its origin until it is started over. Infinite: never, so a `take` that is full ends the run. */
  readonly cycle: readonly number[];
  /** Per node: passes of its origin that make up one of what leaves it. */
  readonly perPass: readonly number[];
  readonly memory: MemoryGuard;
  /** What it is at, for others to see. */
  readonly mark: WorkMark;
  /** Where the run can be resumed, or was. */
  readonly journal: StageJournal | undefined;
  /** Operators that make whole batches of every chunk. */
  readonly gatherers: readonly number[];
}

/** What an operator keeps. */
export interface OperatorState {
  /** Of its code in the loop. */
  readonly loop: object | undefined;
  /** Of an operator that gets its elements before the loop does. */
  readonly origin: unknown;
}

/** Runs one lane of a stage: takes pieces from its input and pushes them through its program, pass after pass. */
export class StageRunner {
  readonly #options: StageOptions;
  readonly #ledger: Ledger;
  readonly #program: Program;
  readonly #batches: WholeBatches;
  readonly #passEnds: PassEnds;
  /** Earlier passes are given up: a `take` is full, here or downstream. */
  #wantedFrom = 0;
  #epoch = 0;
  #finished = false;
  #stepping: Promise<void> | undefined;
  /** Of a step that nobody waits for any more: whoever asks next is told. */
  #failure: { readonly error: unknown } | undefined;
  /** Nothing more will come. Other lanes may still be at work on what came before, so the input stays open. */
  #inputOver = false;

  private constructor(options: StageOptions, ledger: Ledger, program: Program) {
    this.#options = options;
    this.#ledger = ledger;
    this.#program = program;
    this.#batches = new WholeBatches(options.gatherers, options.input, options.output);
    this.#passEnds = new PassEnds(options.nodes, options.perPass, options.journal);
  }

  /** Operators of a run that was resumed get back what they kept. */
  #takeUp(): void {
    const { journal, nodes } = this.#options;
    if (journal === undefined) return;
    for (const at of nodes.keys()) {
      const state = journal.start(at)?.state;
      if (state === undefined) continue;
      const { loop } = readState(state) as OperatorState;
      if (loop !== undefined) this.#ofOperator(at, () => this.#program.segmentOf(at)?.load(at, loop));
    }
    this.#enterJournal(0);
  }

  /** Sets up the user's functions in this lane and generates its loops. */
  static async open(options: StageOptions): Promise<StageRunner> {
    const ledger = new Ledger(options);
    const { input, journal, probe } = options;
    let program: Program | undefined;
    try {
      const discards = (at: number): boolean => journal?.discards(at) ?? false;
      const timed = probe !== undefined;
      program = await Program.open({ ...options, ledger, series: input.series, timed, discards });
      if (program.wantedAtOnce > 0) input.atLeast?.(program.wantedAtOnce);
      probe?.generated?.(program.listings, program.functions);
      const runner = new StageRunner(options, ledger, program);
      runner.#takeUp();
      return runner;
    } catch (error) {
      await program?.close().catch(() => undefined);
      await input.cancel();
      throw error;
    }
  }

  /** Works until the input ends, or nobody wants the output. */
  async run(): Promise<void> {
    const breath = new Breath();
    try {
      while (!this.#finished && !this.#options.stop.stopping()) {
        const worked = this.step();
        if (worked instanceof Promise) await worked;
        const turn = breath.take();
        if (turn !== undefined) await turn;
      }
    } finally {
      await this.close();
    }
  }

  /** The operator to whose line the stack of `error` leads, seen from outside its call. */
  ownerOf(error: unknown): number | undefined {
    return this.#program.ownerOf(error);
  }

  /** What its user should know: elements that were given up, a cache that was not kept. */
  get warnings(): readonly string[] {
    return [...this.#program.warnings, ...(this.#options.input.warnings ?? [])];
  }

  get finished(): boolean {
    return this.#finished && this.#failure === undefined;
  }

  async close(): Promise<void> {
    this.#finished = true;
    this.#options.mark.end();
    try {
      await this.#program.close();
    } finally {
      if (!this.#inputOver) await this.#cancelInput();
    }
  }

  async #cancelInput(): Promise<void> {
    try {
      await this.#options.input.cancel();
    } catch (error) {
      if (!isAnswer(this.#options.stop, error)) throw error;
    }
  }

  /**
   * One piece of input. Synchronous unless the source or a user function is not. Whoever asks again before it is done with, as several that
   * read from this stage may, waits for the same piece.
   */
  step(): void | Promise<void> {
    if (this.#failure !== undefined) throw this.#failure.error;
    if (this.#stepping !== undefined) return this.#stepping;
    const stepped = this.#step();
    if (!(stepped instanceof Promise)) return undefined;
    this.#stepping = stepped.then(
      () => {
        this.#stepping = undefined;
      },
      error => {
        this.#stepping = undefined;
        this.#failure = { error };
        throw error;
      },
    );
    return this.#stepping;
  }

  #step(): void | Promise<void> {
    const { input } = this.#options;
    const before = input.own ? this.#ledger.beforePiece() : undefined;
    if (before !== undefined) this.#begin(before.time);
    let piece: Piece | Promise<Piece>;
    try {
      piece = input.next();
    } catch (error) {
      throw this.#inputFailed(error);
    }
    if (!(piece instanceof Promise)) return this.#work(piece, before);
    const arriving: Promise<Piece | undefined> = piece.catch(error => {
      throw this.#inputFailed(error);
    });
    // What was made of the input before it goes on meanwhile; or nobody wants that any more.
    const offered = offering(this.#options.output, arriving, error => void this.#unwind(error));
    return offered.then(arrived => (arrived === undefined ? undefined : this.#work(arrived, before)));
  }

  #begin(now: number, piece?: Piece): void {
    const { mark, totals } = this.#options;
    const waited = totals.starved + totals.backpressured;
    if (piece === undefined) mark.begin(now, waited, 0, 0);
    else mark.begin(now, waited, piece.sequence?.[piece.from] ?? piece.base + piece.from, piece.to - piece.from);
  }

  /** The oldest call of an async function that has not come back. */
  get oldestCall(): OpenCall | undefined {
    return this.#program.oldestCall;
  }

  /** A source can be the user's own iterable. */
  #inputFailed(error: unknown): unknown {
    const { input, nodes, id } = this.#options;
    if (!input.own) return error;
    return inLightOf(this.#options.stop, userFunctionFailed(nodes[0]?.operator, id, undefined, error), error);
  }

  /** `before`: the clocks before the elements were got, where that is the first operator's work. */
  #work(piece: Piece, before: Before | undefined): void | Promise<void> {
    this.#options.mark.end();
    try {
      if (before !== undefined) this.#ledger.chargePiece(piece.to - piece.from, before);
      this.#ledger.post();
      if (piece.kind === 'closed') {
        this.#inputOver = true;
        this.#finished = true;
        return undefined;
      }
      if (piece.landmark !== undefined) return this.#landmark(piece, piece.landmark);
      this.#enterEpoch(piece.epoch);
      if (piece.kind === 'elements') return this.#elements(piece);
      return this.#mark(piece, piece.kind === 'end' ? 'end' : 'epochEnd');
    } catch (error) {
      return this.#unwind(error);
    }
  }

  #unwind(error: unknown): void {
    this.#finished = true;
    if (error instanceof Unwanted) return;
    const { nodes, id } = this.#options;
    throw error instanceof VenturiError && error.code === 'VENTURI_NOT_CLONEABLE'
      ? cannotBeSent(giver(nodes)?.id ?? id, error)
      : error;
  }

  #enterEpoch(epoch: number): void {
    if (epoch === this.#epoch) return;
    // The pass may have ended in a stage further up, unseen by this one.
    this.#options.output.flushEpoch();
    this.#epoch = epoch;
    this.#options.output.epoch = epoch;
    this.#program.enterEpoch(epoch);
    this.#enterJournal(epoch);
  }

  #enterJournal(epoch: number): void {
    this.#options.journal?.enter(epoch, (at, count) => this.#program.segmentOf(at)?.discard(at, count));
  }

  /** Where operators upstream stood: a stage that keeps nothing passes it on. */
  #landmark(piece: Piece, position: SentLandmark): void {
    const { input, journal, output } = this.#options;
    output.startChunk(piece.number);
    if (journal?.passesOn !== false) output.landmark(journal?.passedOn(position) ?? position);
    // Of a pass that it has left it did not count everything.
    else if (position.epoch >= this.#wantedFrom) journal.landmark(position);
    input.used(piece, 0, 0);
    if (position.epoch >= this.#epoch) this.#snapshot(position.epoch, 'landmark');
  }

  /** Between two pieces, everything that came before pass `epoch` is done with: the time to write down where operators stand. */
  #snapshot(epoch: number, occasion?: 'landmark' | 'pass'): void {
    const { input, journal, output } = this.#options;
    if (journal === undefined || input.continues || this.#finished || epoch < this.#wantedFrom) return;
    if (!journal.isDue(occasion)) return;
    // Those that make batches of what was sent would hold something: as soon as they do not, it is time.
    if (!this.#batches.areSent()) return;
    this.#enterJournal(epoch);
    output.flushEpoch();
    const inputs = (): readonly Position[] => input.taken?.() ?? [];
    const position = journal.snapshot({ state: at => this.#stateOf(at), inputs });
    if (position !== undefined) output.landmark(position);
  }

  #stateOf(at: number): OperatorState | typeof UNKNOWN {
    const origin = at === 0 ? this.#options.input.save?.() : undefined;
    const loop = this.#ofOperator(at, () => this.#program.segmentOf(at)?.save(at));
    if (loop !== undefined && 'own' in loop && loop.own === undefined) return UNKNOWN;
    return { loop, origin };
  }

  /** Saving and loading what an operator keeps may be the user's own code. */
  #ofOperator<T>(at: number, work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw userFunctionFailed(this.#options.nodes[at]?.operator, this.#options.id, undefined, error);
    }
  }

  #elements(piece: Piece): void | Promise<void> {
    const { output } = this.#options;
    output.startChunk(piece.number);
    if (output.skipBefore > piece.epoch) this.#leave(output.skipBefore);
    const began = this.#ledger.began();
    this.#begin(began.time, piece);
    const running = piece.epoch < this.#wantedFrom ? undefined : this.#program.push(piece);
    if (!(running instanceof Promise)) return this.#worked(piece, began);
    return running.then(() => this.#worked(piece, began)).catch(error => this.#unwind(error));
  }

  #worked(piece: Piece, began: Began): void | Promise<void> {
    if (!this.#batches.endHere) return this.#done(piece, began);
    return this.#afterFlush(
      this.#flushFrom(0, () => false),
      () => {
        this.#batches.beginAnew(this.#program);
        return this.#done(piece, began);
      },
    );
  }

  #done(piece: Piece, began: Began): void | Promise<void> {
    const { input, mark, memory, output } = this.#options;
    const stopped = this.#program.stoppedAt();
    mark.end();
    if (input.continues === true) output.endPiece();
    else output.endChunk();
    input.used(piece, this.#ledger.ended(began, piece.number, piece.to - piece.from, piece.bytes), output.made);
    memory.check();
    if (stopped !== undefined) return this.#stop(stopped);
    this.#snapshot(piece.epoch);
    return undefined;
  }

  /** A `take` is full: either the run is over, or only the passes until it is started over. */
  #stop(at: number): void | Promise<void> {
    const cycle = this.#options.cycle[at] ?? Number.POSITIVE_INFINITY;
    if (cycle !== Number.POSITIVE_INFINITY) {
      this.#leave((Math.floor(this.#epoch / cycle) + 1) * cycle);
      return undefined;
    }
    return this.#afterFlush(
      this.#flushFrom(at + 1, () => false),
      () => {
        this.#options.output.mark('end');
        this.#finished = true;
      },
    );
  }

  #leave(wantedFrom: number): void {
    if (wantedFrom <= this.#wantedFrom) return;
    this.#wantedFrom = wantedFrom;
    this.#options.input.skipTo(wantedFrom);
  }

  #mark(piece: Piece, mark: 'epochEnd' | 'end'): void | Promise<void> {
    const { input, output, nodes, stop } = this.#options;
    // Not the data has come to its end, but whoever gives it, for it was told to.
    if (stop.stopping()) throw new Stopped();
    if (mark === 'end') this.#inputOver = true;
    output.startChunk(piece.number);
    const began = this.#ledger.began();
    this.#begin(began.time);
    const flushed = this.#flushFrom(0, at => mark === 'epochEnd' && this.#passEnds.absorbs(at, this.#epoch));
    return this.#afterFlush(flushed, absorbed => {
      this.#options.mark.end();
      const stopped = this.#program.stoppedAt();
      this.#program.resume();
      if (mark === 'epochEnd') {
        this.#program.reset(absorbed);
        this.#options.journal?.reset(absorbed);
      }
      // A pass that ends inside this stage is nobody else's business.
      if (absorbed === nodes.length) output.mark(mark);
      else output.absorb();
      // What operators had held back, and the last chunk that was not full, are this chunk's work.
      if (output.elements > began.elements) this.#ledger.ended(began, piece.number, 0, 0);
      input.used(piece, 0, 0);
      if (mark === 'end') this.#finished = true;
      else if (stopped !== undefined) return this.#stop(stopped);
      else this.#snapshot(piece.epoch + 1, 'pass');
      return undefined;
    });
  }

  /** A flush is waited for only where an async function makes it wait. */
  #afterFlush(
    flushed: number | Promise<number>,
    follow: (absorbed: number) => void | Promise<void>,
  ): void | Promise<void> {
    if (!(flushed instanceof Promise)) return follow(flushed);
    return flushed.then(follow).catch(error => this.#unwind(error));
  }

  /** Lets every operator from `from` on hand out what it holds, up to the one that absorbs the mark: gives its position. */
  #flushFrom(from: number, absorbs: (at: number) => boolean): number | Promise<number> {
    const { nodes } = this.#options;
    for (let at = from; at < nodes.length; at++) {
      if (absorbs(at)) return at;
      const flushed = this.#program.flush(at);
      if (flushed instanceof Promise) return flushed.then(() => this.#flushFrom(at + 1, absorbs));
    }
    return nodes.length;
  }
}

/** A buffer, which a plan may have put there, makes nothing: it is behind whoever did. */
const giver = (nodes: readonly PlacedNode[]): PlacedNode | undefined =>
  nodes.findLast(({ node }) => node.kind !== 'prefetch' && node.kind !== 'transport');
