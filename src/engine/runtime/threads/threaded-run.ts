import { removeUnfinished } from '../../../files/atomic-file.ts';
import { CONSUMER } from '../../../model/consumer.ts';
import { structure } from '../../compile/graph.ts';
import { type ExecutionPlan, outputsOf, stageAt } from '../../compile/stages.ts';
import { gathererBehind } from '../../compile/whole-batches.ts';
import type { ChannelReading, Progress, StuckWork } from '../../contract/run.ts';
import type { Origin } from '../../description/definition.ts';
import { prepareModule, type RunnableModule } from '../../modules/load.ts';
import { Flow } from '../books/flow.ts';
import { stuckWords, stuckWork } from '../books/stuck-work.ts';
import { type SharedTotals, sharedTotals } from '../books/totals.ts';
import { WorkMark } from '../books/work-mark.ts';
import { type CachePlan, planCaches } from '../cache/cache-plan.ts';
import { Activity } from '../ring/activity.ts';
import { allocateRing, RingConsumer, type RingMemory } from '../ring/index.ts';
import { BaseRun, type RunSettings } from '../run/base-run.ts';
import type { Loan } from '../run/loan.ts';
import { growthOf, laneAllowance, laneSize, openProbe, progressOf } from '../run/run-plan.ts';
import { MemoryGuard, waitWithMarking } from '../stage/memory-guard.ts';
import { Consumer } from './consumer.ts';
import { Deaths } from './deaths.ts';
import { freeWhereAllocated, keepFreedMemory } from './freed-memory.ts';
import { Loans } from './loans.ts';
import { COMPLETED, STOPPED, type ThreadOrder } from './protocol.ts';
import { Standstill } from './standstill.ts';
import { Workers } from './workers.ts';

interface Lane {
  readonly stage: number;
  readonly lane: number;
  readonly totals: SharedTotals;
  readonly activity: Activity;
  readonly mark: WorkMark;
  readonly deaths: Deaths;
}

const TICK_MS = 100;

/** How often it is looked whether a run that nobody consumes stands still. */
const UNTAKEN_MS = 200;

const CONSUMER_SIZE = { operators: 1, inputs: 1, outputs: 0 } as const;

/** A run on worker threads: a thread for every lane of every stage, rings between them, the caller at the end. */
export class ThreadedRun<T> extends BaseRun<T> {
  readonly #rings: readonly RingMemory[];
  /** To the consumer. */
  readonly #last: RingMemory;
  /** To look at every channel, and to close it. */
  readonly #ends: readonly RingConsumer[];
  readonly #lanes: readonly Lane[];
  readonly #stopWord = new Int32Array(new SharedArrayBuffer(4));
  /** Lanes that have ended, or never began. */
  readonly #gone = new Int32Array(new SharedArrayBuffer(4));
  readonly #workers = new Workers(
    error => void this.#break(error),
    order => this.#successor(order),
    entry => this.told(entry),
    thread => this.#clear(thread),
  );
  readonly #consumer: Consumer;
  readonly #consumerTotals = sharedTotals(CONSUMER_SIZE);
  readonly #started: Promise<void>;
  #module: RunnableModule | undefined;
  #timer: NodeJS.Timeout | undefined;
  #standstill: Standstill | undefined;
  #caches: CachePlan | undefined;
  /** What had not ended when the run did. */
  readonly #stuck: StuckWork[] = [];
  #failure: { readonly error: unknown } | undefined;
  #ending: Promise<void> | undefined;
  #untaken: NodeJS.Timeout | undefined;

  constructor(origin: Origin, plan: ExecutionPlan, settings: RunSettings) {
    super(plan, settings);
    this.#rings = plan.channels.map(({ shape, spares, bytesPerSecond, silent }, link) => {
      const readers = plan.stages[plan.links[link]?.to ?? -1]?.parallelism;
      return allocateRing(shape, { readers, bytesPerSecond, silent, spares });
    });
    this.#ends = this.#rings.map(ring => new RingConsumer(ring, this.clock));
    this.#lanes = plan.stages.flatMap(({ parallelism }, stage) =>
      Array.from({ length: parallelism }, (_, lane) => ({
        stage,
        lane,
        totals: sharedTotals(laneSize(plan, stage)),
        activity: new Activity(),
        mark: new WorkMark(),
        deaths: new Deaths(),
      })),
    );
    const last = this.#rings[plan.links.findIndex(({ to }) => to === undefined)];
    if (last === undefined) throw new Error('a threaded run has at least one channel');
    this.#last = last;
    this.#consumer = new Consumer(
      new MemoryGuard(settings.memory, () => laneAllowance(plan, settings.memory, Atomics.load(this.#gone, 0))),
      new RingConsumer(last, this.clock, this.#consumerTotals.inputs[0]),
      this.clock,
      this.checkpoints.delivery,
      this.#consumerTotals,
      settings.borrow,
    );
    this.#started = this.#begin(origin);
    this.#started.catch(error => this.#break(error));
  }

  /** Threads begin at once. But where all of them wait for somebody to take elements, and nobody has begun to, they must not keep the program from its end. */
  #awaitConsumer(): void {
    let before = -1;
    this.#untaken = setInterval(() => {
      const moved = this.#lanes.reduce((sum, { totals }) => sum + totals.chunks, 0);
      if (!this.#consumer.ring.isFull || moved !== before) {
        before = moved;
        return;
      }
      clearInterval(this.#untaken);
      this.#workers.holding = false;
      process.emitWarning('a run stands still, for nobody takes its elements: use for await, drain() or forEach()', {
        type: 'VenturiWarning',
      });
    }, UNTAKEN_MS).unref();
  }

  protected override consumed(): void {
    clearInterval(this.#untaken);
    this.#workers.holding = true;
  }

  async #begin(origin: Origin): Promise<void> {
    if (!this.isConsumed) this.#awaitConsumer();
    this.#module = await prepareModule(origin.url);
    if (this.#ending !== undefined) return;
    await this.#openConsumerProbe();
    const caches = planCaches(this.plan, this.settings);
    this.#caches = caches;
    this.plan.links.forEach(({ to }, link) => {
      if (to !== undefined && caches.idle.has(to)) this.#ends[link]?.close();
    });
    const lanes = this.#lanes.filter(({ stage }) => !caches.idle.has(stage));
    const watched = Standstill.possible(this.plan);
    if (watched) this.#watch(lanes);
    waitWithMarking(this.settings.memory);
    freeWhereAllocated();
    keepFreedMemory(this.settings.memory);
    Atomics.store(this.#gone, 0, this.#lanes.length - lanes.length);
    // A signal cannot be cloned, and checkpoints are the main thread's.
    const { signal: _, resume: __, everyMs: ___, ...settings } = this.settings;
    for (const { stage, lane, totals, activity, mark } of lanes) {
      this.#workers.start(this.#nameOf(stage, lane), {
        ...settings,
        module: this.#module.url,
        path: origin.path ?? this.#module.path,
        sourceMaps: process.sourceMapsEnabled,
        fingerprint: this.graph.fingerprint,
        structure: structure(this.plan.nodes),
        sameText: this.#module.url === origin.url,
        stage,
        lane,
        deaths: 0,
        caches: caches.disks,
        journal: this.#journalOf(stage),
        rings: this.#rings,
        totals: totals.memory,
        activity: watched ? activity.memory : undefined,
        mark: mark.memory,
        stop: this.#stopWord.buffer as SharedArrayBuffer,
        gone: this.#gone.buffer as SharedArrayBuffer,
        start: this.start,
      });
    }
  }

  /** Files that sinks had begun. */
  #clear(thread: number): void {
    for (const { node } of this.plan.nodes) {
      if (typeof node.settings.path === 'string') removeUnfinished(node.settings.path, thread);
    }
  }

  /** What a lane of stage `stage` needs to know. */
  #journalOf(stage: number): ThreadOrder['journal'] {
    const parts = this.checkpoints.parts();
    if (parts === undefined) return undefined;
    const behind = gathererBehind(this.plan, stage);
    const ids = [...stageAt(this.plan, stage).nodes.map(({ id }) => id), ...(behind === undefined ? [] : [behind])];
    const starts = ids.flatMap(id => {
      const start = parts.starts[id];
      return start === undefined ? [] : [[id, start] as const];
    });
    return { ...parts, starts: Object.fromEntries(starts) };
  }

  /** Whoever takes the place of a thread that died takes up its chunk; a stage that keeps something cannot be taken up. */
  #successor(order: ThreadOrder): ThreadOrder | undefined {
    const { stage } = order;
    const lane = this.#lanes.find(other => other.stage === stage && other.lane === order.lane);
    if (lane === undefined) throw new Error(`stage ${stage} has no lane ${order.lane}`);
    // It does not wait any more, and its successor has yet to come.
    lane.activity.works();
    lane.mark.end();
    for (const ring of this.#ends) ring.wake();
    const spilled = outputsOf(this.plan, stage).some(link => this.#ends[link]?.spilled === true);
    if (!stageAt(this.plan, stage).stateless || spilled || this.#ending !== undefined) return undefined;
    if (!lane.deaths.forgivable(lane.totals.chunks)) return undefined;
    return { ...order, deaths: order.deaths + 1 };
  }

  #watch(lanes: readonly Lane[]): void {
    this.#standstill = new Standstill({
      plan: this.plan,
      lanes,
      rings: this.#ends,
      budget: growthOf(this.settings.memory),
      consumerWaits: () => this.#consumer.waits,
      failed: error => void this.#break(error),
    });
  }

  async #openConsumerProbe(): Promise<void> {
    const lane = { name: CONSUMER, stage: CONSUMER, operators: [CONSUMER], start: this.start };
    this.#consumer.probe = await openProbe(this.settings.probe, lane, this.#consumerTotals, this.plan);
    if (this.#consumer.probe !== undefined) this.#timer = setInterval(() => this.#tick(), TICK_MS).unref();
  }

  #tick(): void {
    const { ring, elements, bytes, probe } = this.#consumer;
    this.#consumerTotals.starved = ring.waitedSoFar;
    this.#consumerTotals.elementsIn[0] = elements;
    this.#consumerTotals.bytesIn = bytes;
    probe?.tick();
  }

  protected override async chunk(decode: boolean): Promise<unknown[] | undefined> {
    const next = await this.#receive(decode);
    if (next !== undefined && next !== 'closed') return next;
    if (this.#failure === undefined) await this.#end(next === undefined ? 'completed' : 'stopped');
    else await this.#ending;
    if (this.#failure !== undefined) throw this.#failure.error;
    return undefined;
  }

  /** A failure at this end ends the run as well: nobody else would. */
  async #receive(decode: boolean): Promise<unknown[] | undefined | 'closed'> {
    try {
      const next = await this.#consumer.next(decode);
      if (next === undefined) this.checkpoints.delivery.ended();
      return next;
    } catch (error) {
      await this.#break(error);
      throw error;
    }
  }

  protected override lendsLongTerm(): void {
    const { data, largeSlots, spares } = this.#last;
    this.#consumer.loans ??= new Loans(
      data,
      Array.from({ length: spares }, (_, spare) => largeSlots + spare),
    );
  }

  protected override get loan(): Loan | undefined {
    return this.#consumer.loan;
  }

  override async stop(): Promise<void> {
    await this.#end('stopped');
  }

  async #break(error: unknown): Promise<void> {
    this.#failure ??= { error };
    await this.#end('failed');
  }

  #end(status: 'completed' | 'stopped' | 'failed'): Promise<void> {
    this.#ending ??= this.#wind(status);
    return this.#ending;
  }

  async #wind(status: 'completed' | 'stopped' | 'failed'): Promise<void> {
    const seconds = this.clock.now() / 1e9;
    let warnings: readonly string[] = [];
    try {
      warnings = await this.#tearDown(status);
    } catch (error) {
      this.#failure ??= { error };
    }
    if (this.#failure !== undefined) {
      this.fail(this.#failure.error);
      return;
    }
    const { elements, bytes } = this.#consumer;
    const outcome = status === 'completed' ? 'completed' : 'stopped';
    this.succeed({ elements, bytes, status: outcome, seconds, warnings, random: this.random() });
  }

  async #tearDown(status: 'completed' | 'stopped' | 'failed'): Promise<readonly string[]> {
    // Also when it is complete: behind a `take` that is full, lanes may wait for what nobody wants.
    const reason = status === 'completed' ? COMPLETED : STOPPED;
    this.#halt(reason);
    await this.#started.catch(() => undefined);
    // Threads that were still being started when the run was stopped.
    this.#halt(reason);
    await this.#workers.end(status === 'completed', name => this.#stuckIn(name));
    clearInterval(this.#timer);
    clearInterval(this.#untaken);
    this.#standstill?.close();
    this.#tick();
    const warnings = this.#consumer.probe?.close() ?? [];
    await this.#module?.dispose();
    // Lanes on one disk tend to say the same.
    return [
      ...new Set([
        ...this.checkpoints.warnings,
        ...(this.#caches?.warnings ?? []),
        ...this.#workers.warnings,
        ...warnings,
      ]),
    ];
  }

  /** Every lane sees a closed ring or the stop word and unwinds. */
  #halt(reason: number): void {
    Atomics.store(this.#stopWord, 0, reason);
    this.#workers.halt();
    for (const ring of this.#ends) ring.close();
  }

  #nameOf(stage: number, lane: number): string {
    return `${stageAt(this.plan, stage).id}#${lane}`;
  }

  /** What the lane that is about to be ended is at, in words. */
  #stuckIn(name: string): string | undefined {
    const stuck = this.#lanes.flatMap(lane => this.#stuckWork(lane, true) ?? []).find(work => work.lane === name);
    if (stuck === undefined) return undefined;
    this.#stuck.push(stuck);
    return stuckWords(stuck);
  }

  #stuckWork({ stage, lane, totals, mark }: Lane, late: boolean): StuckWork | undefined {
    const { nodes } = stageAt(this.plan, stage);
    return stuckWork({ name: this.#nameOf(stage, lane), nodes, totals, mark }, this.clock.now(), late);
  }

  override stuck(): readonly StuckWork[] {
    if (this.#ending !== undefined) return this.#stuck;
    return this.#lanes.flatMap(lane =>
      // Waiting for bandwidth is counted with the channel, and looks like work from here.
      outputsOf(this.plan, lane.stage).some(link => this.plan.channels[link]?.bytesPerSecond !== undefined)
        ? []
        : (this.#stuckWork(lane, false) ?? []),
    );
  }

  override channels(): readonly ChannelReading[] {
    const now = this.clock.now();
    const flows = (stage: number, pick: (totals: SharedTotals) => Flow | undefined): Flow[] =>
      this.#lanes.flatMap(lane => (lane.stage === stage ? (pick(lane.totals) ?? []) : []));
    return this.plan.channels.map(({ id }, link) => {
      const { from = 0, to, port = 0 } = this.plan.links[link] ?? {};
      const at = outputsOf(this.plan, from).indexOf(link);
      return Flow.reading(
        id,
        flows(from, ({ outputs }) => outputs[at]),
        to === undefined ? this.#consumerTotals.inputs : flows(to, ({ inputs }) => inputs[port]),
        now,
      );
    });
  }

  override progress(): Progress {
    const { elements, bytes } = this.#consumer;
    return { elements, bytes, ...progressOf(this.plan, this.#lanes) };
  }
}
