import { parentPort, workerData } from 'node:worker_threads';
import { packError } from '../../../errors/portable-error.ts';
import { VenturiError } from '../../../model/errors.ts';
import { structure } from '../../compile/graph.ts';
import { type ExecutionPlan, stageAt } from '../../compile/stages.ts';
import { blueprintOf, buildGraph } from '../../description/definition.ts';
import { importModule } from '../../modules/import-module.ts';
import { Clock } from '../books/clock.ts';
import { sharedTotals } from '../books/totals.ts';
import { LOOK_MS, WorkMark } from '../books/work-mark.ts';
import { ambient } from '../calls/ambient.ts';
import { runController } from '../calls/call-signals.ts';
import { Stopped } from '../calls/stop.ts';
import { innerStages } from '../inline/local-stages.ts';
import { openLane } from '../run/open-lane.ts';
import { describeLane, laneAllowance, laneSize, openProbe, planRun } from '../run/run-plan.ts';
import { MemoryGuard } from '../stage/memory-guard.ts';
import { LaneStrays } from './lane-strays.ts';
import { type LaneMessage, STOPPED, type ThreadOrder } from './protocol.ts';
import { RingTransport } from './ring-transport.ts';

/** A worker thread: one lane of one stage, from import to exit. */
async function main(order: ThreadOrder): Promise<readonly string[]> {
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
  const stage = stageAt(plan, order.stage);

  const clock = new Clock(order.start);
  const abort = runController();
  // Async functions learn of the stop at once, the others between chunks. By a message: to wake a thread out of Atomics.waitAsync
  // while it ends is to give a task to an event loop that is being taken down.
  parentPort?.on('message', () => abort.abort()).unref();
  if (Atomics.load(stopWord, 0) !== 0) abort.abort();
  strays.nodes = stage.nodes;
  const { signal } = abort;
  const stop = { stopping: (): boolean => Atomics.load(stopWord, 0) !== 0, signal };
  strays.stop = stop;

  const totals = sharedTotals(laneSize(plan, order.stage), order.totals);
  const mark = new WorkMark(order.mark);
  const gone = new Int32Array(order.gone);
  const memory = new MemoryGuard(order.memory, () => laneAllowance(plan, order.memory, Atomics.load(gone, 0)));
  const lane = `#${order.lane}${order.deaths === 0 ? '' : `.${order.deaths}`}`;
  const probe = await openProbe(order.probe, describeLane(stage, order.start, lane), totals, plan);
  const warnings: string[] = [];
  let transport: RingTransport | undefined;
  let looking: NodeJS.Timeout | undefined;
  try {
    transport = new RingTransport(plan, order, { clock, totals, memory, probe });
    const runner = await openLane(
      {
        plan,
        stage: order.stage,
        lane: order.lane,
        lanes: stage.parallelism,
        settings: order,
        clock,
        stop,
        totals,
        mark,
        memory,
        probe,
        caches: order.caches,
        journal: order.journal && { ...order.journal, post: entry => send({ type: 'journal', entry }) },
        inner: innerStages({ settings: order, clock, signal }),
      },
      transport,
    );
    // Where it can be said at all: a thread that is kept busy does not come to it.
    looking = setInterval(() => mark.look(clock.now(), runner.oldestCall), LOOK_MS).unref();
    strays.ownerOf = error => runner.ownerOf(error);
    try {
      await runner.run();
      transport.output.settle();
    } finally {
      warnings.push(...runner.warnings);
    }
    Atomics.add(gone, 0, 1);
  } catch (error) {
    if (!(error instanceof Stopped)) throw error;
    warnings.push(...error.warnings);
  } finally {
    clearInterval(looking);
    transport?.leave();
    warnings.push(...strays.close(), ...(probe?.close() ?? []));
  }
  return warnings;
}

async function buildPlan(order: ThreadOrder): Promise<ExecutionPlan> {
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

const { order, name } = workerData as { readonly order: ThreadOrder; readonly name: string };
// A function may wait for what Node does not count as work, such as its signal: that must not end the thread.
const alive = setInterval(() => undefined, 2 ** 30);
main(order)
  .then(
    warnings => send({ type: 'done', warnings }),
    error => send({ type: 'failed', error: packError(error) }),
  )
  .finally(() => clearInterval(alive));
