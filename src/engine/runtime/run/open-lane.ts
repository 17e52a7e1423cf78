import { stageAt } from '../../compile/stages.ts';
import { gatherersOf } from '../../compile/whole-batches.ts';
import { StageJournal } from '../checkpoint/stage-journal.ts';
import type { Input } from '../stage/input.ts';
import type { Output } from '../stage/output.ts';
import { StageRunner } from '../stage/stage-runner.ts';
import type { LaneOrder } from './lane-order.ts';
import { openInput } from './open-input.ts';
import { cyclesOf, needsIdentity, perPassOf } from './run-plan.ts';

/** How chunks reach a lane and leave it: through rings between threads, or in memory on the same thread. */
export interface Transport {
  /** By port of the stage. */
  readonly inputs: readonly Input[];
  readonly output: Output;
  /** The lane reads from `input`, which is one of the inputs or puts them together. Called before it does. */
  attach?(input: Input): void;
}

/** Makes one lane ready: sets up the user's functions and generates its loops. Whoever opened it runs it, or asks it for a step at a time. */
export async function openLane(order: LaneOrder, transport: Transport): Promise<StageRunner> {
  const { plan, stage, settings, stop, totals } = order;
  const planned = stageAt(plan, stage);
  const { id, nodes } = planned;
  const journal = order.journal && new StageJournal(plan, stage, totals, order.journal);
  const input = openInput(order, transport.inputs, () => journal?.hasten());
  transport.attach?.(input);
  return StageRunner.open({
    id,
    nodes,
    input,
    output: transport.output,
    totals,
    clock: order.clock,
    seed: settings.seed,
    worker: {
      lane: order.lane,
      lanes: order.lanes,
      memory: settings.memory,
      signal: stop.signal,
      stopping: stop.stopping,
      isTrial: settings.trial,
    },
    identity: needsIdentity(plan, stage),
    cycle: cyclesOf(plan, stage),
    perPass: perPassOf(plan, stage),
    probe: order.probe,
    deadLetter: settings.deadLetter,
    memory: order.memory,
    stop,
    mark: order.mark,
    journal,
    gatherers: gatherersOf(planned),
  });
}
