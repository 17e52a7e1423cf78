import { parentPort, workerData } from 'node:worker_threads';
import { packError } from '../../../errors/portable-error.ts';
import { VenturiError } from '../../../model/errors.ts';
import { blueprintOf, buildGraph } from '../../api/definition.ts';
import { importModule } from '../../api/load.ts';
import type { PlacedNode } from '../../compile/graph.ts';
import { structure } from '../../compile/graph.ts';
import { type ExecutionPlan, inputsOf, outputsOf, type PlannedChannel } from '../../compile/stages.ts';
import { operatorKind } from '../../operators/registry.ts';
import { Clock } from '../books/clock.ts';
import { SharedTotals } from '../books/totals.ts';
import { LOOK_MS, WorkMark } from '../books/work-mark.ts';
import { ambient } from '../calls/ambient.ts';
import { runController } from '../calls/call-signals.ts';
import { Stopped } from '../calls/stop.ts';
import type { JournalEntry } from '../checkpoint/journal-entry.ts';
import { stageJournal } from '../checkpoint/stage-journal.ts';
import { innerStages } from '../inline/local-stages.ts';
import { Activity } from '../ring/activity.ts';
import { RingConsumer, type RingMemory, RingProducer, TICK_MS } from '../ring/index.ts';
import { openInput } from '../run/open-input.ts';
import {
  borrows,
  cyclesOf,
  laneAllowance,
  laneSize,
  needsIdentity,
  openProbe,
  planRun,
  sendsIdentity,
} from '../run/run-plan.ts';
import { RingInput } from '../stage/input.ts';
import { MemoryGuard } from '../stage/memory-guard.ts';
import { RingOutput } from '../stage/output.ts';
import { StageRunner } from '../stage/stage-runner.ts';
import { LaneStrays } from './lane-strays.ts';
import { type LaneMessage, type LaneOrder, STOPPED } from './protocol.ts';

/** How often a lane that waits looks whether something it holds back can go by now. */
const SPILLED_TICK_MS = 1;
/** The same for what it has gathered, and someone may want by now. */
const HELD_TICK_MS = 5;
/** The same for word from sinks that it reads from: nothing else would wake it. */
const LISTEN_TICK_MS = 10;

/** A worker thread: one lane of one stage, from import to exit. */
async function main(order: LaneOrder): Promise<readonly string[]> {
  if (order.sourceMaps) process.setSourceMapsEnabled(true);
  Error.stackTraceLimit = 50;
  ambient.watch();
  const stopWord = new Int32Array(order.stop);
  const strays = new LaneStrays(
    name,
    () => Atomics.load(stopWord, 0) === STOPPED,
    error => send({ type: 'stray', error: packError(error) }),
    warning => send({ type: 'warning', warning }),
  );
  const plan = await buildPlan(order);
  const stage = plan.stages[order.stage];
  if (stage === undefined) throw new Error(`the plan has no stage ${order.stage}`);

  const clock = new Clock(order.start);
  const abort = runController();
  const stopping = (): boolean => Atomics.load(stopWord, 0) !== 0;
  // Async functions learn of the stop at once, the others between chunks.
  void Promise.resolve(Atomics.waitAsync(stopWord, 0, 0).value).then(() => abort.abort());
  strays.nodes = stage.nodes;
  strays.stop = { stopping, signal: abort.signal };

  const totals = new SharedTotals(order.totals, laneSize(plan, order.stage));
  const identity = needsIdentity(plan, order.stage);
  const gone = new Int32Array(order.gone);
  const guard = new MemoryGuard(order.memory, () => laneAllowance(plan, order.memory, Atomics.load(gone, 0)));
  const outputs = outputsOf(plan, order.stage);
  const producers = outputs.map((link, at) => new RingProducer(ringOf(order, link), clock, totals.outputs[at]));
  const output = new RingOutput(producers, clock, {
    identity: sendsIdentity(plan, order.stage),
    aligned: stage.stateless,
    rowLength: identity ? 0 : rowLengthOf(stage.nodes),
    chunkElements: order.chunkElements,
    mostElements: mostElements(outputs.map(link => plan.channels[link])),
    readers: outputs.map(link => plan.stages[plan.links[link]?.to ?? -1]?.parallelism ?? 1),
    relieve: () => guard.check(),
  });
  const consumers = inputsOf(plan, order.stage).map(
    (link, port) => new RingConsumer(ringOf(order, link), clock, totals.inputs[port]),
  );
  const lends = consumers.length === 1 && borrows(stage.nodes);
  const ringInputs = consumers.map(consumer => new RingInput(consumer, lends, order.lane));
  for (const ringInput of ringInputs) ringInput.output = output;
  if (order.deaths > 0) inherit(order, consumers[0], ringInputs[0], output);
  const journal =
    order.journal === undefined
      ? undefined
      : { ...order.journal, post: (entry: JournalEntry): void => send({ type: 'journal', entry }) };
  const ownJournal = stageJournal(plan, order.stage, totals, journal);
  const input = openInput(plan, order.stage, {
    signal: abort.signal,
    chunkElements: order.chunkElements,
    links: ringInputs,
    seed: order.seed,
    memory: guard,
    deadLetter: order.deadLetter,
    stages: innerStages({ settings: order, step: order.chunkElements, clock, signal: abort.signal }),
    caches: { disks: order.caches, memory: order.memory },
    journal,
    hasten: () => ownJournal?.hasten(),
  });
  const probe =
    order.probe === undefined
      ? undefined
      : await openProbe(
          order.probe,
          {
            name: `${stage.id}#${order.lane}${order.deaths === 0 ? '' : `.${order.deaths}`}`,
            stage: stage.id,
            operators: stage.nodes.map(({ id }) => id),
            start: order.start,
          },
          totals,
          plan,
        );
  const tick = (): void => {
    totals.starved = input.waited;
    totals.backpressured = output.waited - output.transported;
    probe?.tick();
  };
  const activity = order.activity === undefined ? undefined : new Activity(order.activity);
  const listens = inputsOf(plan, order.stage).some(link => plan.channels[link]?.silent === true);
  const passOn = (): boolean => {
    let left = false;
    for (const producer of producers) left = producer.flush() || left;
    return left;
  };
  const meanwhile = (): number => {
    if (listens && input.listen?.() === true) activity?.moved();
    // Only where several read can anything be held back.
    if (producers.length > 1 && passOn()) return SPILLED_TICK_MS;
    return listens ? LISTEN_TICK_MS : TICK_MS;
  };
  const tell = (end: RingConsumer | RingProducer, link: number): void => {
    end.onTick = tick;
    end.activity = activity;
    end.link = link;
    end.meanwhile = meanwhile;
  };
  outputs.forEach((link, at) => {
    const producer = producers[at];
    if (producer !== undefined) tell(producer, link);
  });
  inputsOf(plan, order.stage).forEach((link, port) => {
    const consumer = consumers[port];
    if (consumer === undefined) return;
    tell(consumer, link);
    consumer.meanwhile = () => (output.count > 0 ? Math.min(HELD_TICK_MS, meanwhile()) : meanwhile());
  });

  const warnings: string[] = [];
  const mark = new WorkMark(order.mark);
  let looking: NodeJS.Timeout | undefined;
  try {
    const runner = await StageRunner.open({
      id: stage.id,
      nodes: stage.nodes,
      input,
      output,
      totals,
      clock,
      seed: order.seed,
      worker: { lane: order.lane, lanes: stage.parallelism, signal: abort.signal, isTrial: order.trial },
      identity,
      cycle: cyclesOf(plan, order.stage),
      probe,
      deadLetter: order.deadLetter,
      memory: guard,
      stopping,
      mark,
      journal: ownJournal,
    });
    // Where it can be said at all: a thread that is kept busy does not come to it.
    looking = setInterval(() => mark.look(clock.now(), runner.oldestCall), LOOK_MS).unref();
    strays.ownerOf = error => runner.ownerOf(error);
    try {
      await runner.run();
      output.settle();
    } finally {
      warnings.push(...runner.warnings);
    }
    Atomics.add(gone, 0, 1);
  } catch (error) {
    if (!(error instanceof Stopped)) throw error;
    warnings.push(...error.warnings);
  } finally {
    clearInterval(looking);
    activity?.gone();
    warnings.push(...strays.close(), ...(probe?.close() ?? []));
  }
  return warnings;
}

/** Takes up the chunk at which the thread before this one died. */
function inherit(
  order: LaneOrder,
  ring: RingConsumer | undefined,
  input: RingInput | undefined,
  output: RingOutput,
): void {
  const inherited = ring?.inherit(order.lane);
  if (inherited === undefined) return;
  if (inherited === 'incomplete') {
    throw new VenturiError(
      'VENTURI_WORKER_DIED',
      'a worker died while it was given an element larger than a slot of its channel, which cannot be sent again',
      { remedy: 'allow more memory, so that slots are larger; see why the worker died' },
    );
  }
  input?.resume(inherited.chunk);
  output.resume(inherited.chunk, inherited.madeBefore);
}

function ringOf(order: LaneOrder, link: number): RingMemory {
  const ring = order.rings[link];
  if (ring === undefined) throw new Error(`there is no channel ${link}`);
  return ring;
}

/** A stage that ends in a batch writes the items flat, unless several may leave its loop's middle at once. */
function rowLengthOf(nodes: readonly PlacedNode[]): number {
  const last = nodes.at(-1)?.node;
  const many = nodes.some(({ node }) => operatorKind(node.kind).many === true);
  return last?.kind === 'batch' && !many ? Number(last.settings.size) : 0;
}

/** A prefetch of n elements may not be outdone by large chunks. */
function mostElements(channels: readonly (PlannedChannel | undefined)[]): number | undefined {
  const limits = channels.flatMap(channel =>
    channel?.maxElements === undefined ? [] : [Math.max(1, Math.floor(channel.maxElements / channel.shape.slots))],
  );
  return limits.length === 0 ? undefined : Math.min(...limits);
}

async function buildPlan(order: LaneOrder): Promise<ExecutionPlan> {
  const loaded = await importModule(order.module, order.path);
  const blueprint = blueprintOf(loaded.default, order.path);
  const plan = planRun(buildGraph(blueprint, order.params), { ...order, inline: false });
  const same = order.sameText
    ? plan.graph.fingerprint === order.fingerprint
    : structure(plan.nodes) === order.structure;
  if (!same) {
    throw new VenturiError(
      'VENTURI_GRAPH_DIFFERS',
      `a worker built another graph from ${order.path} than the main thread did`,
      {
        remedy:
          'make the graph depend on its parameters only, not on the time, random numbers, the environment or which thread it is',
      },
    );
  }
  return plan;
}

const send = (message: LaneMessage): void => parentPort?.postMessage(message);

const { order, name } = workerData as { readonly order: LaneOrder; readonly name: string };
// A function may wait for what Node does not count as work, such as its signal: that must not end the thread.
const alive = setInterval(() => undefined, 2 ** 30);
main(order)
  .then(
    warnings => send({ type: 'done', warnings }),
    error => send({ type: 'failed', error: packError(error) }),
  )
  .finally(() => clearInterval(alive));
