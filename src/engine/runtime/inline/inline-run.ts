import { type ExecutionPlan, stageAt } from '../../compile/stages.ts';
import type { ChannelReading, Progress, StuckWork } from '../../contract/run.ts';
import type { Position } from '../books/position.ts';
import { stuckWords } from '../books/stuck-work.ts';
import { ambient } from '../calls/ambient.ts';
import { runController } from '../calls/call-signals.ts';
import { Stopped } from '../calls/stop.ts';
import { BaseRun, type RunSettings } from '../run/base-run.ts';
import { GRACE_MS, settles } from '../run/patience.ts';
import { describeLane, openProbe, progressOf } from '../run/run-plan.ts';
import { Breath } from '../stage/breath.ts';
import type { InlineOutput } from '../stage/inline-output.ts';
import { LocalStages } from './local-stages.ts';

/** Once something has not ended in time, the rest may take this long to be closed. */
const LEAVE_MS = 200;

/**
 * Elements that are read before the first of them is worked on. What is kept of a piece of input for each of its elements is soon little
 * beside their own work; and where an element is large, or many are made of it, pieces are small because they are short.
 */
const MOST_AT_ONCE = 64;

/** Everything on the calling thread, some elements of the source at a time: breakpoints and stack traces are the user's own. */
export class InlineRun<T> extends BaseRun<T> {
  readonly #abort = runController();
  /** The caller's thread is watched only while the run works in it. */
  #unwatch: (() => void) | undefined;
  readonly #opened: Promise<LocalStages>;
  #stages: LocalStages | undefined;
  #ended = false;
  /** Ends the wait for what is under way. */
  #leave: () => void = () => undefined;
  /** What had not ended when the run did. */
  #stuck: readonly StuckWork[] | undefined;
  /** All work happens on the calling thread: its signals must get their turn, too. */
  readonly #breath = new Breath();
  #stepping: unknown;
  #elements = 0;
  readonly #warnings: string[] = [];
  /** A landmark behind elements that have not been taken yet. */
  #pending: Position | undefined;

  constructor(plan: ExecutionPlan, settings: RunSettings) {
    super(plan, settings);
    const unwatch = ambient.watch();
    this.#opened = this.#open().finally(unwatch);
    this.#opened.catch(() => undefined);
  }

  async #open(): Promise<LocalStages> {
    const { settings } = this;
    const journal = this.checkpoints.parts();
    this.#stages = await LocalStages.open(this.plan, {
      journal: journal && { ...journal, post: entry => this.told(entry) },
      settings,
      mostAtOnce: MOST_AT_ONCE,
      clock: this.clock,
      signal: this.#abort.signal,
      probe: (stage, totals) =>
        openProbe(settings.probe, describeLane(stageAt(this.plan, stage), this.start), totals, this.plan),
    });
    this.#stages.output.onLandmark = position => this.#landmark(position);
    return this.#stages;
  }

  /** The output has what came before it, and nothing else. */
  #landmark(position: Position): void {
    const output = this.#stages?.output;
    if (output === undefined || output.count > 0) this.#pending = position;
    else this.checkpoints.delivery.landmark(position);
  }

  protected override async chunk(): Promise<unknown[] | undefined> {
    if (!this.#ended) this.#unwatch ??= ambient.watch();
    try {
      const stages = await this.#unlessLeft(this.#opened);
      if (stages === undefined) return undefined;
      for (;;) {
        while (!stages.finished && !this.#abort.signal.aborted && stages.output.count === 0) {
          const stepped = stages.step();
          this.#stepping = stepped;
          if (stepped instanceof Promise) await this.#unlessLeft(stages.output.sooner(stepped));
          const turn = this.#breath.take();
          if (turn !== undefined) await turn;
        }
        if (stages.output.count === 0) break;
        const elements = this.#take(stages.output);
        if (elements.length > 0) return elements;
      }
      if (!this.#abort.signal.aborted) this.checkpoints.delivery.ended();
    } catch (error) {
      if (!(error instanceof Stopped)) {
        await this.#failed(error);
        throw error;
      }
      this.#warnings.push(...error.warnings);
    }
    await this.#end();
    return undefined;
  }

  /** What `work` gives; undefined where the run ends without it. */
  #unlessLeft<R>(work: Promise<R>): Promise<R | undefined> {
    return new Promise((resolve, reject) => {
      this.#leave = () => resolve(undefined);
      work.then(resolve, reject);
    });
  }

  /** Those elements in the output that the consumer has not had. */
  #take(output: InlineOutput): unknown[] {
    const { count, epoch } = output;
    const { delivery } = this.checkpoints;
    const elements = output.take();
    const had = delivery.arrived(epoch, count);
    if (this.#pending !== undefined) delivery.landmark(this.#pending);
    this.#pending = undefined;
    this.#elements += count - had;
    return had === 0 ? elements : elements.slice(had);
  }

  async #failed(error: unknown): Promise<void> {
    this.fail(error);
    await this.#end().catch(() => undefined);
  }

  override async stop(): Promise<void> {
    this.#abort.abort();
    // A failure at the end is told by `finished`.
    await this.#end().catch(() => undefined);
  }

  async #end(): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    const seconds = this.clock.now() / 1e9;
    try {
      // What is under way still uses what is about to be closed.
      const underWay = this.#opened.then(() => this.#stepping);
      await this.#inTime(underWay.catch(() => undefined));
      const closed = this.#opened.then(
        stages => stages.close(),
        () => [],
      );
      const probed = (await this.#inTime(closed)) ?? this.#stages?.abandon() ?? [];
      this.#warnings.push(...probed, ...(this.#stages?.warnings ?? []));
    } catch (error) {
      this.fail(error);
      throw error;
    } finally {
      this.#unwatch?.();
      this.#leave();
    }
    this.succeed({
      elements: this.#elements,
      bytes: 0,
      status: this.#abort.signal.aborted ? 'stopped' : 'completed',
      seconds,
      warnings: [...new Set([...this.checkpoints.warnings, ...this.#warnings])],
      random: this.random(),
    });
  }

  /** Waits for `work`; once the run is stopped, not for ever. */
  async #inTime<R>(work: Promise<R>): Promise<R | undefined> {
    const isLate = this.#stuck !== undefined;
    if (!this.#abort.signal.aborted || (await settles(work, isLate ? LEAVE_MS : GRACE_MS))) return work;
    if (isLate) return undefined;
    this.#stuck = this.#stages?.stuck(this.clock.now(), true) ?? [];
    const what = this.#stuck.map(stuckWords).join(', ') || 'what it had begun does not end';
    this.#warnings.push(`The run did not wait for the end of what was under way: ${what}.`);
    return undefined;
  }

  override stuck(): readonly StuckWork[] {
    return this.#stuck ?? this.#stages?.stuck(this.clock.now(), false) ?? [];
  }

  override channels(): readonly ChannelReading[] {
    return [];
  }

  override progress(): Progress {
    return { elements: this.#elements, bytes: 0, ...progressOf(this.plan, this.#stages?.lanes ?? []) };
  }
}
