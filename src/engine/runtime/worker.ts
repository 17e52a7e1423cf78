import { parentPort, workerData } from 'node:worker_threads';
import { VenturiError } from '../../model/errors.ts';
import { blueprintOf, buildGraph } from '../api/definition.ts';
import { importModule } from '../api/load.ts';
import type { PlacedNode } from '../compile/graph.ts';
import { structure } from '../compile/graph.ts';
import type { ExecutionPlan } from '../compile/stages.ts';
import { operatorKind } from '../operators/registry.ts';
import { ambient } from './ambient.ts';
import { Clock } from './clock.ts';
import { packError } from './failure.ts';
import { type Input, RingInput, SourceInput } from './input.ts';
import {
  borrows,
  cyclesOf,
  laneAllowance,
  needsIdentity,
  openProbe,
  passesAreCut,
  passesOf,
  planRun,
  sendsIdentity,
} from './lane.ts';
import { MemoryGuard } from './memory-guard.ts';
import { RingOutput } from './output.ts';
import type { LaneMessage, LaneOrder } from './protocol.ts';
import { RingConsumer, RingProducer } from './ring.ts';
import { StageRunner } from './stage.ts';
import { SharedTotals } from './totals.ts';

/** A worker thread: one lane of one stage, from import to exit. */
async function main(order: LaneOrder): Promise<readonly string[]> {
  if (order.sourceMaps) process.setSourceMapsEnabled(true);
  Error.stackTraceLimit = 50;
  ambient.watch();
  const plan = await buildPlan(order);
  const stage = plan.stages[order.stage];
  const memory = order.rings[order.stage];
  if (stage === undefined || memory === undefined) throw new Error(`the plan has no stage ${order.stage}`);

  const clock = new Clock(order.start);
  const abort = new AbortController();
  const stopWord = new Int32Array(order.stop);
  const stopping = (): boolean => Atomics.load(stopWord, 0) !== 0;
  // Async functions learn of the stop at once, the others between chunks.
  void Promise.resolve(Atomics.waitAsync(stopWord, 0, 0).value).then(() => abort.abort());

  const totals = new SharedTotals(order.totals, stage.nodes.length);
  const identity = needsIdentity(plan, order.stage);
  const producer = new RingProducer(memory, clock, totals.output);
  const output = new RingOutput(producer, clock, {
    identity: sendsIdentity(plan, order.stage),
    aligned: stage.parallelism > 1,
    rowLength: identity ? 0 : rowLengthOf(stage.nodes),
    chunkElements: order.chunkElements,
    mostElements: mostElements(plan, order.stage),
  });
  const upstream = order.rings[order.stage - 1];
  const consumer = upstream === undefined ? undefined : new RingConsumer(upstream, clock, totals.input);
  const probe =
    order.probe === undefined
      ? undefined
      : await openProbe(
          order.probe,
          {
            name: `${stage.id}#${order.lane}`,
            stage: stage.id,
            operators: stage.nodes.map(({ id }) => id),
            start: order.start,
          },
          totals,
          plan,
        );
  const tick = (): void => {
    totals.starved = consumer?.waited ?? 0;
    totals.backpressured = producer.waited;
    probe?.tick();
  };
  producer.onTick = tick;
  if (consumer !== undefined) consumer.onTick = tick;

  const warnings: string[] = [];
  try {
    const runner = await StageRunner.open({
      id: stage.id,
      nodes: stage.nodes,
      input: openInput(plan, order, consumer, abort.signal),
      output,
      totals,
      clock,
      seed: order.seed,
      worker: { lane: order.lane, lanes: stage.parallelism, signal: abort.signal },
      identity,
      cycle: cyclesOf(plan, order.stage),
      probe,
      deadLetter: order.deadLetter,
      memory: new MemoryGuard(laneAllowance(plan, order.memory)),
      stopping,
    });
    await runner.run();
    warnings.push(...runner.warnings);
  } finally {
    warnings.push(...(probe?.close() ?? []));
  }
  return warnings;
}

function openInput(
  plan: ExecutionPlan,
  order: LaneOrder,
  consumer: RingConsumer | undefined,
  signal: AbortSignal,
): Input {
  const nodes = plan.stages[order.stage]?.nodes ?? [];
  if (consumer !== undefined) return new RingInput(consumer, borrows(nodes));
  const source = nodes[0]?.node.source;
  if (source === undefined) throw new Error('the first stage has no source');
  const passes = { count: passesOf(plan.nodes), cut: passesAreCut(plan.nodes) };
  return new SourceInput(source, passes, signal, order.chunkElements);
}

/** A stage that ends in a batch writes the items flat, unless several may leave its loop's middle at once. */
function rowLengthOf(nodes: readonly PlacedNode[]): number {
  const last = nodes.at(-1)?.node;
  const many = nodes.some(({ node }) => operatorKind(node.kind).many === true);
  return last?.kind === 'batch' && !many ? Number(last.settings.size) : 0;
}

/** A prefetch of n elements may not be outdone by large chunks. */
function mostElements(plan: ExecutionPlan, stage: number): number | undefined {
  const channel = plan.channels[stage];
  if (channel?.maxElements === undefined) return undefined;
  return Math.max(1, Math.floor(channel.maxElements / channel.slots));
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

const { order } = workerData as { order: LaneOrder };
// A function may wait for what Node does not count as work, such as its signal: that must not end the thread.
const alive = setInterval(() => undefined, 2 ** 30);
main(order)
  .then(
    warnings => send({ type: 'done', warnings }),
    error => send({ type: 'failed', error: packError(error) }),
  )
  .finally(() => clearInterval(alive));
