import type { ChannelReading, Progress } from '../api/run.ts';
import type { ExecutionPlan } from '../compile/stages.ts';
import { ambient } from './ambient.ts';
import { BaseRun, type RunSettings } from './base-run.ts';
import { Clock } from './clock.ts';
import { SourceInput } from './input.ts';
import { cyclesOf, laneAllowance, needsIdentity, openProbe, passesAreCut, passesOf } from './lane.ts';
import { MemoryGuard } from './memory-guard.ts';
import { InlineOutput } from './output.ts';
import type { LaneProbe } from './probe.ts';
import { StageRunner } from './stage.ts';
import { allocateTotals, SharedTotals } from './totals.ts';

const BREATH_MS = 10;

/** Everything on the calling thread, one source element at a time: breakpoints and stack traces are the user's own. */
export class InlineRun<T> extends BaseRun<T> {
  readonly #plan: ExecutionPlan;
  readonly #output = new InlineOutput();
  readonly #totals: SharedTotals;
  readonly #abort = new AbortController();
  /** The caller's thread is watched only while the run works in it. */
  #unwatch: (() => void) | undefined;
  readonly start = process.hrtime.bigint();
  readonly #clock = new Clock(this.start);
  readonly #opened: Promise<StageRunner>;
  #probe: LaneProbe | undefined;
  #ended = false;
  #breathed = 0;
  #stepping: unknown;

  constructor(plan: ExecutionPlan, settings: RunSettings) {
    super(plan, settings.signal);
    this.#plan = plan;
    const nodes = plan.stages[0]?.nodes ?? [];
    this.#totals = new SharedTotals(allocateTotals(nodes.length), nodes.length);
    const unwatch = ambient.watch();
    this.#opened = this.#open(settings).finally(unwatch);
    this.#opened.catch(() => undefined);
  }

  async #open(settings: RunSettings): Promise<StageRunner> {
    const stage = this.#plan.stages[0];
    const source = stage?.nodes[0]?.node.source;
    if (stage === undefined || source === undefined) throw new Error('an inline run has one stage with a source');
    if (settings.probe !== undefined) {
      const lane = { name: stage.id, stage: stage.id, operators: stage.nodes.map(({ id }) => id), start: this.start };
      this.#probe = await openProbe(settings.probe, lane, this.#totals, this.#plan);
    }
    const passes = { count: passesOf(this.#plan.nodes), cut: passesAreCut(this.#plan.nodes) };
    return StageRunner.open({
      id: stage.id,
      nodes: stage.nodes,
      input: new SourceInput(source, passes, this.#abort.signal, settings.chunkElements ?? 1),
      output: this.#output,
      totals: this.#totals,
      clock: this.#clock,
      seed: settings.seed,
      worker: { lane: 0, lanes: 1, signal: this.#abort.signal },
      identity: needsIdentity(this.#plan, 0),
      cycle: cyclesOf(this.#plan, 0),
      probe: this.#probe,
      deadLetter: settings.deadLetter,
      memory: new MemoryGuard(laneAllowance(this.#plan, settings.memory)),
      stopping: () => this.#abort.signal.aborted,
    });
  }

  protected override async chunk(): Promise<unknown[] | undefined> {
    if (!this.#ended) this.#unwatch ??= ambient.watch();
    try {
      const runner = await this.#opened;
      while (!runner.finished && !this.#abort.signal.aborted && this.#output.count === 0) {
        const stepped = runner.step();
        this.#stepping = stepped;
        if (stepped instanceof Promise) await stepped;
        else if (performance.now() > this.#breathed + BREATH_MS) await this.#breathe();
      }
    } catch (error) {
      this.fail(error);
      await this.#end().catch(() => undefined);
      throw error;
    }
    if (this.#output.count > 0) return this.#output.take();
    await this.#end();
    return undefined;
  }

  /** All work happens on the calling thread: timers and signals must get their turn. */
  async #breathe(): Promise<void> {
    await new Promise(resolve => setImmediate(resolve));
    this.#breathed = performance.now();
  }

  override async stop(): Promise<void> {
    this.#abort.abort();
    // A failure at the end is told by `finished`.
    await this.#end().catch(() => undefined);
  }

  async #end(): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    const runner = await this.#opened.catch(() => undefined);
    // What is under way still uses what is about to be closed.
    await Promise.resolve(this.#stepping).catch(() => undefined);
    const warnings: string[] = [];
    try {
      await runner?.close();
    } catch (error) {
      this.fail(error);
      throw error;
    } finally {
      this.#unwatch?.();
      warnings.push(...(runner?.warnings ?? []), ...(this.#probe?.close() ?? []));
    }
    this.succeed({
      elements: this.#output.elements,
      bytes: 0,
      status: this.#abort.signal.aborted ? 'stopped' : 'completed',
      seconds: this.#clock.now() / 1e9,
      warnings,
      random: this.random(),
    });
  }

  override channels(): readonly ChannelReading[] {
    return [];
  }

  override progress(): Progress {
    const { elementsIn, elementsOut, keyedDraws, ambientDraws, done } = this.#totals;
    return {
      elements: this.#output.elements,
      bytes: 0,
      done: done < 0 ? undefined : done,
      operators: this.graph.operators.map(({ id }, at) => ({
        id,
        elementsIn: elementsIn[at] ?? 0,
        elementsOut: elementsOut[at] ?? 0,
        keyedDraws: keyedDraws[at] ?? 0,
        ambientDraws: ambientDraws[at] ?? 0,
      })),
    };
  }
}
