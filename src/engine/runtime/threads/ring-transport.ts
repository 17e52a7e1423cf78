import { isLent } from '../../../graph/lending.ts';
import { VenturiError } from '../../../model/errors.ts';
import { rowLengthOf } from '../../compile/segments.ts';
import { type ExecutionPlan, inputsOf, outputsOf, type PlannedChannel, stageAt } from '../../compile/stages.ts';
import { gatheredBy, gathererBehind, wholeElements } from '../../compile/whole-batches.ts';
import { Activity } from '../ring/activity.ts';
import { RingConsumer, type RingMemory, RingProducer, TICK_MS } from '../ring/index.ts';
import type { LaneOrder } from '../run/lane-order.ts';
import type { Transport } from '../run/open-lane.ts';
import { needsIdentity, sendsIdentity } from '../run/run-plan.ts';
import type { Input } from '../stage/input.ts';
import type { ThreadOrder } from './protocol.ts';
import { RingInput } from './ring-input.ts';
import { RingOutput } from './ring-output.ts';

/** How often a lane that waits looks whether something it holds back can go by now. */
const SPILLED_TICK_MS = 1;
/** The same for what it has gathered, and someone may want by now. */
const HELD_TICK_MS = 5;
/** The same for word from sinks that it reads from: nothing else would wake it. */
const LISTEN_TICK_MS = 10;

type RingParts = Pick<LaneOrder, 'clock' | 'totals' | 'memory' | 'probe'>;

/** Carries a lane's chunks through rings in shared memory. While the lane waits at one, it is seen to that the others move. */
export class RingTransport implements Transport {
  readonly inputs: readonly RingInput[];
  readonly output: RingOutput;
  readonly #parts: RingParts;
  readonly #producers: readonly RingProducer[];
  readonly #consumers: readonly RingConsumer[];
  readonly #activity: Activity | undefined;
  /** A sink leads to it, of which nothing else tells the lane. */
  readonly #listens: boolean;

  constructor(plan: ExecutionPlan, order: ThreadOrder, parts: RingParts) {
    const { clock, totals, memory } = parts;
    const stage = stageAt(plan, order.stage);
    const { nodes, stateless } = stage;
    const outputs = outputsOf(plan, order.stage);
    this.#parts = parts;
    this.#activity = order.activity === undefined ? undefined : new Activity(order.activity);
    this.#producers = outputs.map((link, at) =>
      this.#told(new RingProducer(ringOf(order, link), clock, totals.outputs[at]), link),
    );
    this.output = new RingOutput(this.#producers, clock, {
      identity: sendsIdentity(plan, order.stage),
      aligned: stateless,
      rowLength: needsIdentity(plan, order.stage) ? 0 : rowLengthOf(nodes),
      whole: wholeElements(plan, order.stage),
      start: order.journal?.starts[gathererBehind(plan, order.stage) ?? '']?.inputs[0]?.from,
      chunkElements: order.chunkElements,
      mostElements: mostElements(outputs.map(link => plan.channels[link])),
      readers: outputs.map(link => plan.stages[plan.links[link]?.to ?? -1]?.parallelism ?? 1),
      memory,
    });
    const inputs = inputsOf(plan, order.stage);
    this.#listens = inputs.some(link => plan.channels[link]?.silent === true);
    this.#consumers = inputs.map((link, port) =>
      this.#told(new RingConsumer(ringOf(order, link), clock, totals.inputs[port]), link),
    );
    const operators = nodes.map(({ operator }) => operator);
    const lends = isLent(operators, this.#consumers.length);
    this.inputs = this.#consumers.map(consumer => new RingInput(consumer, lends, order.lane, gatheredBy(stage)));
    for (const input of this.inputs) input.output = this.output;
    if (order.deaths > 0) this.#inherit(order.lane);
  }

  /** Takes up the chunk at which the thread before this one died. */
  #inherit(lane: number): void {
    const inherited = this.#consumers[0]?.inherit(lane);
    if (inherited === undefined) return;
    if (inherited === 'incomplete') {
      throw new VenturiError(
        'VENTURI_WORKER_DIED',
        'a worker died while it held part of a chunk that cannot be sent again: of an element larger than a slot of its channel, or of a batch whose source had to be waited for',
        { remedy: 'see why the worker died; allow more memory, so that slots are larger' },
      );
    }
    this.inputs[0]?.resume(inherited.chunk);
    this.output.resume(inherited.chunk, inherited.madeBefore);
  }

  /** Others are told when the lane waits at this end of channel `link`. */
  #told<E extends RingConsumer | RingProducer>(end: E, link: number): E {
    end.activity = this.#activity;
    end.link = link;
    return end;
  }

  attach(input: Input): void {
    const { totals, probe } = this.#parts;
    const { output } = this;
    const producers = this.#producers;
    const tick = (): void => {
      totals.starved = input.waited;
      totals.backpressured = output.waited - output.transported;
      probe?.tick();
    };
    const passOn = (): boolean => {
      let left = false;
      for (const producer of producers) left = producer.flush() || left;
      return left;
    };
    const meanwhile = (): number => {
      if (this.#listens && input.listen?.() === true) this.#activity?.moved();
      // Only where several read can anything be held back.
      if (producers.length > 1 && passOn()) return SPILLED_TICK_MS;
      return this.#listens ? LISTEN_TICK_MS : TICK_MS;
    };
    const holding = (): number => (output.count > 0 ? Math.min(HELD_TICK_MS, meanwhile()) : meanwhile());
    for (const end of [...producers, ...this.#consumers]) end.onTick = tick;
    for (const producer of producers) producer.meanwhile = meanwhile;
    for (const consumer of this.#consumers) consumer.meanwhile = holding;
  }

  /** The lane waits for nothing any more. */
  leave(): void {
    this.#activity?.gone();
  }
}

function ringOf(order: ThreadOrder, link: number): RingMemory {
  const ring = order.rings[link];
  if (ring === undefined) throw new Error(`there is no channel ${link}`);
  return ring;
}

/** A prefetch of n elements may not be outdone by large chunks. */
function mostElements(channels: readonly (PlannedChannel | undefined)[]): number | undefined {
  const limits = channels.flatMap(channel =>
    channel?.maxElements === undefined ? [] : [Math.max(1, Math.floor(channel.maxElements / channel.shape.slots))],
  );
  return limits.length === 0 ? undefined : Math.min(...limits);
}
