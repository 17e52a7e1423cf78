import type { ExecutionPlan } from '../../compile/stages.ts';
import type { LaneProbe } from '../../contract/probe.ts';
import type { Clock } from '../books/clock.ts';
import type { SharedTotals } from '../books/totals.ts';
import type { WorkMark } from '../books/work-mark.ts';
import type { CachePlan } from '../cache/cache-plan.ts';
import type { Losses } from '../calls/losses.ts';
import { type JournalParts, stageJournal } from '../checkpoint/stage-journal.ts';
import type { InnerParts } from '../interleave/inner.ts';
import type { Input } from '../stage/input.ts';
import type { MemoryGuard } from '../stage/memory-guard.ts';
import type { Output } from '../stage/output.ts';
import { StageRunner } from '../stage/stage-runner.ts';
import type { RunSettings } from './base-run.ts';
import { openInput } from './open-input.ts';
import { cyclesOf, needsIdentity } from './run-plan.ts';

/** What a lane is to run: its stage of the plan, and what the run gives it for that. */
export interface LaneOrder {
  readonly plan: ExecutionPlan;
  readonly stage: number;
  /** Which of the stage's lanes, and how many there are. */
  readonly lane: number;
  readonly lanes: number;
  readonly settings: Pick<RunSettings, 'seed' | 'memory' | 'deadLetter' | 'trial'>;
  /** Elements read from a source at a time; undefined: as many as take about a millisecond, but not more than `mostAtOnce`. */
  readonly step: number | undefined;
  readonly mostAtOnce?: number | undefined;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly stopping: () => boolean;
  readonly totals: SharedTotals;
  readonly mark: WorkMark;
  readonly memory: MemoryGuard;
  readonly probe: LaneProbe | undefined;
  readonly caches: CachePlan['disks'];
  /** Where the run can be resumed, or was. */
  readonly journal: JournalParts | undefined;
  /** Of the operator that opened the pipeline, where one did. */
  readonly losses?: Losses | undefined;
  /** Runs a pipeline inside the lane, for an operator that opens some. */
  readonly inner: InnerParts['stages'];
}

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
  const { plan, stage, settings, signal, totals, journal, memory } = order;
  const { id, nodes } = plan.stages[stage] ?? { id: '', nodes: [] };
  const ownJournal = stageJournal(plan, stage, totals, journal);
  const input = openInput(plan, stage, {
    signal,
    chunkElements: order.step,
    mostAtOnce: order.mostAtOnce,
    links: transport.inputs,
    seed: settings.seed,
    memory,
    deadLetter: settings.deadLetter,
    losses: order.losses,
    stages: order.inner,
    caches: { disks: order.caches, memory: settings.memory },
    journal,
    hasten: () => ownJournal?.hasten(),
  });
  transport.attach?.(input);
  return StageRunner.open({
    id,
    nodes,
    input,
    output: transport.output,
    totals,
    clock: order.clock,
    seed: settings.seed,
    worker: { lane: order.lane, lanes: order.lanes, signal, isTrial: settings.trial },
    identity: needsIdentity(plan, stage),
    cycle: cyclesOf(plan, stage),
    probe: order.probe,
    deadLetter: settings.deadLetter,
    memory,
    stopping: order.stopping,
    mark: order.mark,
    journal: ownJournal,
  });
}
