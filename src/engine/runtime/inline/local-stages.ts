import { badOption } from '../../../model/option.ts';
import { type ExecutionPlan, inputsOf, outputsOf, stageAt } from '../../compile/stages.ts';
import type { LaneProbe } from '../../contract/probe.ts';
import type { StuckWork } from '../../contract/run.ts';
import { stuckWork } from '../books/stuck-work.ts';
import { type SharedTotals, sharedTotals } from '../books/totals.ts';
import { WorkMark } from '../books/work-mark.ts';
import { type CachePlan, planCaches } from '../cache/cache-plan.ts';
import type { InnerParts } from '../interleave/inner.ts';
import type { RunSettings } from '../run/base-run.ts';
import type { LaneOrder } from '../run/lane-order.ts';
import { openLane } from '../run/open-lane.ts';
import { growthOf, laneAllowance, laneSize, planRun, sendsIdentity } from '../run/run-plan.ts';
import { InlineOutput } from '../stage/inline-output.ts';
import { MemoryGuard } from '../stage/memory-guard.ts';
import type { StageRunner } from '../stage/stage-runner.ts';
import { LocalInput, LocalOutput } from './local-link.ts';

export interface LocalParts extends Pick<LaneOrder, 'mostAtOnce' | 'clock' | 'journal' | 'losses'> {
  readonly settings: LaneOrder['settings'] & Pick<RunSettings, 'params'>;
  readonly signal: AbortSignal;
  /** Opens the probe of a stage, where the run is recorded. */
  readonly probe: ((stage: number, totals: SharedTotals) => Promise<LaneProbe | undefined>) | undefined;
}

interface LocalLane {
  readonly stage: number;
  readonly totals: SharedTotals;
  readonly mark: WorkMark;
  /** None of a stage that need not run. */
  runner: StageRunner | undefined;
}

/** All stages of a plan on one thread, each asked for elements by those that read from it. */
export class LocalStages {
  readonly output = new InlineOutput();
  /** One for every stage. */
  readonly lanes: readonly LocalLane[];
  readonly #plan: ExecutionPlan;
  readonly #caches: CachePlan;
  readonly #links: readonly LocalInput[];
  readonly #probes: LaneProbe[] = [];

  private constructor(plan: ExecutionPlan, caches: CachePlan) {
    this.#plan = plan;
    this.#caches = caches;
    this.lanes = plan.stages.map((_, stage) => {
      return { stage, totals: sharedTotals(laneSize(plan, stage)), mark: new WorkMark(), runner: undefined };
    });
    this.#links = plan.links.map(({ from }) => new LocalInput(() => this.#runner(from)));
    plan.links.forEach(({ to }, link) => {
      if (to !== undefined && caches.idle.has(to)) this.#links[link]?.cancel();
    });
  }

  static async open(plan: ExecutionPlan, parts: LocalParts): Promise<LocalStages> {
    const caches = planCaches(plan, parts.settings);
    const stages = new LocalStages(plan, caches);
    try {
      for (const lane of stages.lanes) if (!caches.idle.has(lane.stage)) lane.runner = await stages.#open(lane, parts);
    } catch (error) {
      await stages.close().catch(() => undefined);
      throw error;
    }
    return stages;
  }

  async #open({ stage, totals, mark }: LocalLane, parts: LocalParts): Promise<StageRunner> {
    const plan = this.#plan;
    const { settings, clock, signal, probe, journal } = parts;
    const { id, nodes } = stageAt(plan, stage);
    const opened = await probe?.(stage, totals);
    if (opened !== undefined) this.#probes.push(opened);
    const links = (at: readonly number[]): LocalInput[] => at.flatMap(link => this.#links[link] ?? []);
    const readers = outputsOf(plan, stage).filter(link => plan.links[link]?.to !== undefined);
    const output =
      readers.length === 0
        ? this.output
        : new LocalOutput(
            nodes.at(-1)?.id ?? id,
            links(readers),
            sendsIdentity(plan, stage),
            growthOf(settings.memory),
          );
    return openLane(
      {
        plan,
        stage,
        lane: 0,
        lanes: 1,
        settings,
        mostAtOnce: parts.mostAtOnce,
        clock,
        stop: { signal, stopping: () => signal.aborted },
        totals,
        mark,
        memory: new MemoryGuard(settings.memory, () => laneAllowance(plan, settings.memory)),
        probe: opened,
        caches: this.#caches.disks,
        journal,
        losses: parts.losses,
        inner: innerStages(parts),
      },
      { inputs: links(inputsOf(plan, stage)), output },
    );
  }

  #runner(stage: number): StageRunner {
    const runner = this.lanes[stage]?.runner;
    if (runner === undefined) throw new Error(`stage ${stage} is not open`);
    return runner;
  }

  get #last(): StageRunner {
    return this.#runner(this.#plan.stages.length - 1);
  }

  get finished(): boolean {
    return this.#last.finished;
  }

  /** One piece of the last stage's input, and whatever that takes. */
  step(): void | Promise<void> {
    return this.#last.step();
  }

  /** What seems never to end. A stage that waits for another one on the same thread is no more at work than that. */
  stuck(now: number, late: boolean): readonly StuckWork[] {
    const found = this.lanes.flatMap(({ stage, totals, mark, runner }) => {
      const { id: name, nodes } = stageAt(this.#plan, stage);
      mark.look(now, runner?.oldestCall);
      return stuckWork({ name, nodes, totals, mark }, now, late) ?? [];
    });
    return found.toSorted((a, b) => b.sinceNs - a.sinceNs).slice(0, 1);
  }

  get warnings(): readonly string[] {
    return [...this.#caches.warnings, ...this.lanes.flatMap(({ runner }) => runner?.warnings ?? [])];
  }

  /** Tears everything down. One that fails does not keep the others open. Gives what the probes have to say. */
  async close(): Promise<readonly string[]> {
    const failures: unknown[] = [];
    for (const { runner } of this.lanes.toReversed()) await runner?.close().catch(error => failures.push(error));
    const warnings = this.abandon();
    if (failures.length > 0) throw failures[0];
    return warnings;
  }

  /** Closes the probes alone, where something does not let itself be closed. */
  abandon(): readonly string[] {
    return this.#probes.splice(0).flatMap(probe => probe.close());
  }
}

/** For operators that open pipelines of their own: these run in the same lane, unseen by its probe. */
export const innerStages =
  (parts: Omit<LocalParts, 'probe' | 'journal' | 'losses'>): InnerParts['inner'] =>
  (pipeline, seed, losses) => {
    const { settings } = parts;
    const plan = planRun(pipeline, { set: {}, epochs: 1, inline: true, memory: settings.memory, slots: undefined });
    const kept = plan.nodes.find(({ node }) => node.kind === 'cache' && node.settings.folder !== undefined);
    if (kept !== undefined) {
      throw badOption(
        `'${kept.id}' is opened by an element and cannot be kept on disk`,
        'put the cache behind the interleave, or keep it in memory: cache() without a folder',
      );
    }
    return LocalStages.open(plan, {
      ...parts,
      settings: { ...settings, seed },
      probe: undefined,
      journal: undefined,
      losses,
    });
  };
