import type { PlacedNode } from '../../compile/graph.ts';
import { type ExecutionPlan, stageAt } from '../../compile/stages.ts';
import { sharedKeepersOf } from '../../compile/whole-batches.ts';
import { sizeOf } from '../../contract/element-size.ts';
import { BEGINNING, compare, type Position, type SentLandmark } from '../books/position.ts';
import type { SharedTotals } from '../books/totals.ts';
import { writeState } from '../chunk/index.ts';
import type { JournalEntry, Landmark, OperatorSnapshot, OperatorStart } from './journal-entry.ts';

/** Writing states down may take this share of a lane's time. */
const SHARE = 1 / 20;
/** So many pauses without word from upstream are too many. */
const PATIENCE = 3;
/** An operator that keeps more is saved only when it keeps less: at the start of a pass, as a rule. */
const MOST_STATE_BYTES = 32 * 2 ** 20;

export interface JournalParts {
  /** 0: whenever it is possible. Undefined: the run is not resumable, and only takes up where another left off. */
  readonly everyMs: number | undefined;
  /** Where operators start, by id, in a run that was resumed. */
  readonly starts: Readonly<Record<string, OperatorStart>>;
  readonly post: (entry: JournalEntry) => void;
}

/** What a snapshot asks of the stage. */
export interface StageStates {
  /** Of operator `at`; unknown: it cannot be told now. */
  state(at: number): object | typeof UNKNOWN;
  /** What the first operator has taken, by port. */
  inputs(): readonly Position[];
}

export const UNKNOWN = Symbol('unknown');

/** Rough bytes of what lies two levels down, where the lists are, each measured by a few of its items. */
const roughBytes = (state: object): number =>
  Object.values(state)
    .flatMap(part => (typeof part === 'object' && part !== null ? Object.values(part) : []))
    .reduce<number>((sum, value) => sum + sizeOf(value), 0);

/** Where the operators of a stage stand, in one lane, and their states from time to time. */
export class StageJournal {
  readonly #parts: JournalParts;
  readonly #nodes: readonly PlacedNode[];
  readonly #totals: SharedTotals;
  /** The operators that keep something between elements, beyond a chunk. */
  readonly #stateful: readonly number[];
  /** Those that keep nothing beyond a chunk, for lanes share them: batches that are made whole of it, and a repeat. */
  readonly #shared: readonly number[];
  /** The first operator gets its elements by itself. */
  readonly #hasOrigin: boolean;
  /** Per operator: elements in and out when the pass began, so that the difference to the totals is a position. */
  readonly #enteredIn: number[];
  readonly #enteredOut: number[];
  /** Per operator: elements in when it was last at its beginning. */
  readonly #freshIn: number[];
  #epoch = -1;
  #next = 0;
  #sooner = 0;
  #affordable = 0;
  /** The last snapshot lacked an operator. */
  #incomplete = false;

  constructor(plan: ExecutionPlan, stage: number, totals: SharedTotals, parts: JournalParts) {
    const { topology } = plan;
    const planned = stageAt(plan, stage);
    const { nodes, stateless } = planned;
    this.#parts = parts;
    this.#nodes = nodes;
    this.#totals = totals;
    this.#stateful = stateless ? [] : nodes.flatMap((placed, at) => (topology.isStateful(placed) ? [at] : []));
    this.#shared = sharedKeepersOf(planned);
    this.#hasOrigin = nodes.slice(0, 1).some(first => topology.isOrigin(first));
    this.#enteredIn = nodes.map(() => 0);
    this.#enteredOut = nodes.map(() => 0);
    this.#freshIn = nodes.map((_, at) => (this.start(at)?.state === undefined ? 0 : Number.NaN));
  }

  start(at: number): OperatorStart | undefined {
    return this.#parts.starts[this.#nodes[at]?.id ?? ''];
  }

  /** An operator of a run that was resumed may be given elements it has had. */
  discards(at: number): boolean {
    const input = this.start(at)?.inputs[0];
    return !this.#isOrigin(at) && input !== undefined && compare(input.from, input.until) < 0;
  }

  #isOrigin(at: number): boolean {
    return at === 0 && this.#hasOrigin;
  }

  /** Pass `epoch` begins. Tells how many elements operators are not to be given again. */
  enter(epoch: number, discard: (at: number, count: number) => void): void {
    if (epoch === this.#epoch) return;
    this.#epoch = epoch;
    const { elementsIn, elementsOut } = this.#totals;
    for (const at of this.#stateful) {
      const start = this.start(at);
      const { from, until } = start?.inputs[0] ?? { from: BEGINNING, until: BEGINNING };
      const first = from.epoch === epoch ? from.index : 0;
      this.#enteredIn[at] = (elementsIn[at] ?? 0) - first;
      this.#enteredOut[at] = (elementsOut[at] ?? 0) - (start?.out.epoch === epoch ? start.out.index : 0);
      if (!this.discards(at)) continue;
      // A pass that was left early did not bring all that was to be dropped; of the next one nothing is.
      const had = epoch === until.epoch ? until.index - first : 0;
      discard(at, epoch < until.epoch ? Number.POSITIVE_INFINITY : had);
    }
  }

  /** Operator `at` has had all of pass `epoch` before the run was saved, its end included. */
  isPast(at: number, epoch: number): boolean {
    return this.discards(at) && epoch < (this.start(at)?.inputs[0]?.until.epoch ?? 0);
  }

  /** The operators before position `to` begin anew. */
  reset(to: number): void {
    for (const at of this.#stateful) if (at < to) this.#freshIn[at] = this.#totals.elementsIn[at] ?? 0;
  }

  #in(at: number): Position {
    const { elementsIn } = this.#totals;
    return { epoch: this.#epoch, index: (elementsIn[at] ?? 0) - (this.#enteredIn[at] ?? 0) };
  }

  #out(at: number): Position {
    const { elementsOut } = this.#totals;
    return { epoch: this.#epoch, index: (elementsOut[at] ?? 0) - (this.#enteredOut[at] ?? 0) };
  }

  /** It has been given something that it has not had. */
  #isLive(at: number): boolean {
    const until = this.start(at)?.inputs[0]?.until;
    return this.#isOrigin(at) || until === undefined || compare(this.#in(at), until) >= 0;
  }

  /** One of several inputs has word from upstream: a snapshot would fit about now. */
  hasten(): void {
    this.#next = Math.min(this.#next, this.#sooner);
  }

  /** Time for a snapshot. 'landmark': it would fit to one upstream. 'pass': one begins, and operators keep little. */
  isDue(occasion: 'landmark' | 'pass' | undefined): boolean {
    if (this.#parts.everyMs === undefined || this.#stateful.length === 0) return false;
    const now = performance.now();
    // What could not be saved within the pass before can be saved now, and not again until the next.
    if (occasion === 'pass' && this.#incomplete) return now >= this.#affordable;
    return now >= (occasion === undefined ? this.#next : this.#sooner);
  }

  /**
   * Writes down where the operators stand: the stage has nothing in hand. Gives what had left the last of them that keeps something, for
   * those downstream; undefined where nothing could start from there.
   */
  snapshot(states: StageStates): Position | undefined {
    const began = performance.now();
    const snapshots: OperatorSnapshot[] = [];
    const landmarks: Landmark[] = [];
    let before: Position | undefined;
    let incomplete = false;
    for (const at of this.#stateful) {
      const live = this.#isLive(at);
      const id = this.#nodes[at]?.id ?? '';
      if (live && before !== undefined) landmarks.push({ reader: id, port: 0, of: before, at: this.#in(at) });
      const state = live ? this.#serialised(at, states) : UNKNOWN;
      before = state === UNKNOWN ? undefined : this.#out(at);
      if (live && state === UNKNOWN) incomplete = true;
      if (state === UNKNOWN) continue;
      const inputs = this.#isOrigin(at) ? states.inputs() : [this.#in(at)];
      snapshots.push({ id, out: this.#out(at), inputs, state });
    }
    this.#incomplete = incomplete;
    this.#parts.post({ snapshots, landmarks });
    this.#plan(began);
    return before;
  }

  #plan(began: number): void {
    const now = performance.now();
    const { everyMs = 0 } = this.#parts;
    const pause = everyMs === 0 ? 0 : Math.max(everyMs, (now - began) / SHARE);
    // Whoever is told where upstream stood writes itself down then: the two fit, and nothing between them is made again.
    this.#next = now + (this.#hasOrigin ? pause : PATIENCE * pause);
    this.#sooner = now + pause / 2;
    this.#affordable = now + (everyMs === 0 ? 0 : (now - began) / SHARE);
  }

  #serialised(at: number, states: StageStates): Uint8Array | undefined | typeof UNKNOWN {
    const fresh = (this.#totals.elementsIn[at] ?? 0) === this.#freshIn[at];
    const state = states.state(at);
    if (state === UNKNOWN) return fresh ? undefined : UNKNOWN;
    // Looked at before it is written: a buffer of images would be in memory twice.
    if (roughBytes(state) > MOST_STATE_BYTES) return UNKNOWN;
    try {
      const bytes = writeState(state);
      return bytes.length > MOST_STATE_BYTES ? UNKNOWN : bytes;
    } catch {
      // A function, say, in a run without threads. It may keep none of them at the start of a pass.
      return UNKNOWN;
    }
  }

  /** Nobody here keeps anything: those downstream are to know where upstream stands. */
  get passesOn(): boolean {
    return this.#stateful.length === 0;
  }

  /**
   * Tells where those stand that lanes share, between the chunks before a landmark and those behind it: everything that was sent has passed
   * them, in whole batches where they make some, and they hold nothing. Gives what those downstream are told instead.
   */
  passedOn(landmark: SentLandmark): SentLandmark {
    const snapshots: OperatorSnapshot[] = [];
    const landmarks: Landmark[] = [];
    let { epoch, index, sent } = landmark;
    for (const at of this.#shared) {
      const { id = '', operator } = this.#nodes[at] ?? {};
      const taken = { epoch, index: sent };
      landmarks.push({ reader: id, port: 0, of: { epoch, index }, at: taken });
      sent /= operator?.gathers ?? 1;
      index = sent;
      snapshots.push({ id, out: { epoch, index }, inputs: [taken], state: undefined });
    }
    if (this.#parts.everyMs !== undefined && snapshots.length > 0) this.#parts.post({ snapshots, landmarks });
    return { epoch, index, sent };
  }

  /** Upstream had given `of` and nothing more. */
  landmark(of: Position): void {
    const [first] = this.#stateful;
    if (first === undefined || this.#parts.everyMs === undefined) return;
    const at = of.epoch > this.#epoch ? { epoch: of.epoch, index: 0 } : this.#in(first);
    const until = this.start(first)?.inputs[0]?.until;
    if (until !== undefined && compare(at, until) < 0) return;
    const reader = this.#nodes[first]?.id ?? '';
    this.#parts.post({ snapshots: [], landmarks: [{ reader, port: 0, of, at }] });
  }
}
