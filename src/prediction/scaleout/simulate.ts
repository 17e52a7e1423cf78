import { Agenda, NONE } from '../../simulation/agenda.ts';
import { type Cluster, windowIn } from './cluster.ts';
import { Collectives } from './collectives.ts';
import type { CompiledSteps } from './compile.ts';
import { InputBuffers } from './input-buffers.ts';
import { Network } from './network.ts';
import { RunningChunks } from './running-chunks.ts';
import type { Extent, Observer, Simulated } from './simulated.ts';
import { StepDraws } from './step-draws.ts';
import { UnitQueues } from './unit-queues.ts';
import { UnitUse } from './unit-use.ts';
import { CountingWindow } from './window.ts';

/** Columns of the figures that change with every event. */
const NOW = 0;
const FROM = 1;
const FIGURES = FROM + 1;

/**
 * A cluster in virtual time, by the paper's algorithm 3.1 with its defects mended: busy units are those with a running chunk, dependents are
 * released before a unit is freed, every op without dependencies begins a step, and a step ends when all its ops have. An event is
 * the end of a chunk. State is in typed arrays, indexed by worker × units + unit or worker × ops + op.
 */
export function simulate(steps: CompiledSteps, cluster: Cluster, extent: Extent, observer?: Observer): Simulated {
  return new Simulation(steps, cluster, extent, observer).run();
}

class Simulation {
  readonly #steps: CompiledSteps;
  readonly #cluster: Cluster;
  readonly #observer: Observer | undefined;
  readonly #draws: StepDraws;
  readonly #timers = new Agenda();
  readonly #network: Network;
  readonly #queues: UnitQueues;
  readonly #chunks: RunningChunks;
  readonly #collectives: Collectives;
  readonly #figures = new Float64Array(FIGURES);
  readonly #servers: number;
  /** Units that transmit come first. */
  readonly #linkUnits: number;
  readonly #workerUnit: number;
  readonly #parserUnit: number;
  readonly #collectiveUnit: number;
  /** Events are worker × slots + the slot of the chunk that ends; then those of ops that will be in line, by worker × ops + op. */
  readonly #slots: number;
  readonly #inputSlot: number;
  readonly #most: number;
  readonly #firstAsked: number;

  /** By worker × ops + op. */
  readonly #waits: Int32Array;
  readonly #bytesLeft: Float64Array;
  /** By worker. */
  readonly #step: Int32Array;
  readonly #base: Int32Array;
  readonly #durationBase: Int32Array;
  readonly #opsLeft: Int32Array;
  readonly #begun: Int32Array;
  readonly #stepStarts: Float64Array;
  readonly #pace: Float64Array;
  readonly #input: InputBuffers | undefined;
  #atBarrier = 0;

  readonly #use: UnitUse;
  readonly #window: CountingWindow;
  #events = 0;

  constructor(steps: CompiledSteps, cluster: Cluster, extent: Extent, observer: Observer | undefined) {
    const { units, most } = steps;
    const { workers, lanes } = cluster;
    this.#steps = steps;
    this.#cluster = cluster;
    this.#observer = observer;
    this.#draws = new StepDraws(steps.kinds, extent, cluster);
    this.#network = new Network(cluster);
    this.#queues = new UnitQueues(workers, units.count, most);
    this.#chunks = new RunningChunks(workers, units, lanes);
    this.#collectives = new Collectives(steps, cluster);
    this.#servers = units.servers;
    this.#linkUnits = units.servers * 2;
    this.#workerUnit = units.worker;
    this.#parserUnit = units.parser;
    this.#collectiveUnit = units.collective;
    this.#inputSlot = this.#chunks.inputSlot;
    this.#slots = this.#chunks.slots;
    this.#most = most;
    this.#firstAsked = workers * this.#slots;
    this.#waits = new Int32Array(workers * most);
    this.#bytesLeft = new Float64Array(workers * most);
    this.#step = new Int32Array(workers);
    this.#base = new Int32Array(workers);
    this.#durationBase = new Int32Array(workers);
    this.#opsLeft = new Int32Array(workers);
    this.#begun = new Int32Array(workers);
    this.#stepStarts = new Float64Array(workers);
    this.#pace = new Float64Array(workers).fill(1);
    this.#input = cluster.input && new InputBuffers(workers, cluster.input);
    this.#use = new UnitUse(units, this.#network);
    this.#window = new CountingWindow(workers, extent.steps, extent.warmUp);
  }

  run(): Simulated {
    const { workers, starts } = this.#cluster;
    for (let worker = 0; worker < workers; worker++) {
      const start = starts[worker] ?? 0;
      if (start > 0) this.#timers.push(start, worker * this.#slots + this.#inputSlot);
      else this.#startStep(worker);
    }
    while (this.#advance());
    return this.#result();
  }

  /** The next chunk to end, of computation or of either direction of the network. False after the last: steps that end at the same moment count. */
  #advance(): boolean {
    const timer = this.#timers.firstMoment;
    const down = this.#network.nextDown;
    const up = this.#network.nextUp;
    const reduced = this.#collectives.end;
    if (this.#window.isClosed) {
      const now = this.#figures[NOW] as number;
      // Steps that take no time would end at the same moment for ever.
      if (Math.min(timer, down, up, reduced) > now || now === this.#figures[FROM]) return false;
    }
    if (reduced < Number.POSITIVE_INFINITY && reduced <= Math.min(timer, down, up)) {
      // Before all that ends at the same moment: ops then queue in the same order, however many workers there are.
      this.#figures[NOW] = reduced;
      this.#reduced();
    } else if (timer <= down && timer <= up) {
      if (timer === Number.POSITIVE_INFINITY)
        throw new Error('Nothing is left to simulate before the last step has ended.');
      this.#figures[NOW] = timer;
      this.#timerEnded(this.#timers.pop());
    } else if (down <= up) {
      this.#figures[NOW] = down;
      const flow = this.#network.finishDown();
      this.#transmitted((flow / this.#servers) | 0, flow % this.#servers);
    } else {
      this.#figures[NOW] = up;
      const flow = this.#network.finishUp();
      this.#transmitted((flow / this.#servers) | 0, this.#servers + (flow % this.#servers));
    }
    return true;
  }

  #timerEnded(event: number): void {
    if (event >= this.#firstAsked) {
      const asked = event - this.#firstAsked;
      const worker = (asked / this.#most) | 0;
      const op = asked - worker * this.#most;
      if (this.#unitOf(worker, op) === this.#parserUnit) this.#parsed(worker, op);
      else this.#enter(worker, op);
      return;
    }
    const worker = (event / this.#slots) | 0;
    const slot = event - worker * this.#slots;
    if (slot === this.#inputSlot) this.#startStep(worker);
    else this.#ended(worker, this.#chunks.unitOf(slot), slot);
  }

  /** A chunk has arrived: the rest of its stream queues again, or the op has ended. */
  #transmitted(worker: number, unit: number): void {
    const op = this.#chunks.opIn(worker, unit);
    if (this.#bytesLeft[worker * this.#most + op] === 0) {
      this.#ended(worker, unit, unit);
      return;
    }
    this.#events++;
    if (this.#observer !== undefined) this.#tell(worker, unit, unit, op);
    if (this.#cluster.multiplexing === 'fresh') this.#queues.pushRest(worker, unit, op);
    else this.#queues.push(worker, unit, op);
    this.#chunks.end(worker, unit, unit);
    this.#dispatch(worker, unit);
  }

  #ended(worker: number, unit: number, slot: number): void {
    this.#events++;
    const op = this.#chunks.opIn(worker, slot);
    if (this.#observer !== undefined) this.#tell(worker, unit, slot, op);
    this.#release(worker, op);
    this.#chunks.end(worker, unit, slot);
    this.#dispatch(worker, unit);
    this.#countOp(worker);
  }

  /** Beside computation messages are parsed whenever they come, any number at a time. */
  #parse(worker: number, op: number): void {
    const time = this.#timeOf(worker, this.#parserUnit, op);
    this.#timers.push((this.#figures[NOW] as number) + time, this.#firstAsked + worker * this.#most + op);
  }

  #parsed(worker: number, op: number): void {
    this.#events++;
    if (this.#observer !== undefined) {
      const now = this.#figures[NOW] as number;
      const start = now - this.#timeOf(worker, this.#parserUnit, op);
      this.#observer.chunk(worker, this.#parserUnit, (this.#base[worker] as number) + op, start, now);
    }
    this.#release(worker, op);
    this.#countOp(worker);
  }

  /** What waited for an op waits for one less. */
  #release(worker: number, op: number): void {
    const { offsets, dependents } = this.#steps;
    const base = this.#base[worker] as number;
    const first = worker * this.#most;
    const end = offsets[base + op + 1] as number;
    for (let at = offsets[base + op] as number; at < end; at++) {
      const dependent = dependents[at] as number;
      const left = (this.#waits[first + dependent] as number) - 1;
      this.#waits[first + dependent] = left;
      if (left === 0) this.#ready(worker, dependent);
    }
  }

  #countOp(worker: number): void {
    const opsLeft = (this.#opsLeft[worker] as number) - 1;
    this.#opsLeft[worker] = opsLeft;
    if (opsLeft === 0) this.#endStep(worker);
  }

  /** An op waits for no other any more. A transfer may still have to be asked for, and a thread to take an op up. */
  #ready(worker: number, op: number): void {
    const delay = this.#steps.delays[(this.#durationBase[worker] as number) + op] as number;
    if (delay > 0)
      this.#timers.push((this.#figures[NOW] as number) + delay, this.#firstAsked + worker * this.#most + op);
    else this.#enter(worker, op);
  }

  #enter(worker: number, op: number): void {
    const needed = this.#unitOf(worker, op);
    if (needed === this.#parserUnit) {
      this.#parse(worker, op);
      return;
    }
    if (needed < this.#linkUnits) {
      this.#bytesLeft[worker * this.#most + op] = this.#steps.bytes[(this.#base[worker] as number) + op] as number;
    }
    this.#queues.push(worker, needed, op);
    if (this.#chunks.hasRoom(worker, needed)) this.#dispatch(worker, needed);
  }

  #unitOf(worker: number, op: number): number {
    return this.#steps.unit[(this.#base[worker] as number) + op] as number;
  }

  /** Runs the next chunk that is queued for a unit, if there is one. */
  #dispatch(worker: number, unit: number): void {
    const op = this.#queues.take(worker, unit);
    if (op === NONE) return;
    const event = this.#chunks.start(worker, unit, op, this.#figures[NOW] as number);
    if (unit < this.#linkUnits) this.#transmit(worker, unit, op);
    else if (unit === this.#collectiveUnit) this.#arrive(worker, op);
    else this.#compute(worker, unit, op, event);
  }

  #compute(worker: number, unit: number, op: number, event: number): void {
    const time = this.#timeOf(worker, unit, op);
    this.#use.begin(unit, time);
    this.#timers.push((this.#figures[NOW] as number) + time, event);
  }

  #timeOf(worker: number, unit: number, op: number): number {
    const recorded = this.#steps.durations[(this.#durationBase[worker] as number) + op] as number;
    return unit === this.#workerUnit ? recorded * (this.#pace[worker] as number) : recorded;
  }

  /** Sends WIN bytes of a stream that has more, the first time or every time; else all that is left. */
  #transmit(worker: number, unit: number, op: number): void {
    const window = windowIn(this.#cluster, unit < this.#servers);
    const at = worker * this.#most + op;
    const left = this.#bytesLeft[at] as number;
    const isFresh = left === (this.#steps.bytes[(this.#base[worker] as number) + op] as number);
    const chunk = left > window && (isFresh || this.#cluster.multiplexing === 'cycle') ? window : left;
    this.#bytesLeft[at] = left - chunk;
    this.#network.start(this.#figures[NOW] as number, worker, unit, chunk);
  }

  #arrive(worker: number, op: number): void {
    const now = this.#figures[NOW] as number;
    const time = this.#collectives.arrive((this.#base[worker] as number) + op, now);
    if (Number.isNaN(time)) return;
    this.#use.begin(this.#collectiveUnit, time);
  }

  /** The one collective that runs has ended, for all workers. */
  #reduced(): void {
    const { workers } = this.#cluster;
    this.#collectives.ended();
    for (let worker = 0; worker < workers; worker++) this.#ended(worker, this.#collectiveUnit, this.#collectiveUnit);
  }

  #startStep(worker: number): void {
    const now = this.#figures[NOW] as number;
    if (this.#input !== undefined && !this.#takeBatch(worker, this.#input, now)) return;
    const { bases, counts, durationBases, rootOffsets, roots, waits } = this.#steps;
    const step = this.#draws.draw(worker, this.#begun[worker] as number);
    this.#pace[worker] = this.#draws.pace;
    const base = bases[step] as number;
    const first = worker * this.#most;
    const count = counts[step] as number;
    this.#step[worker] = step;
    this.#base[worker] = base;
    this.#durationBase[worker] = durationBases[step] as number;
    this.#opsLeft[worker] = count;
    this.#stepStarts[worker] = now;
    this.#begun[worker] = (this.#begun[worker] as number) + 1;
    for (let op = 0; op < count; op++) this.#waits[first + op] = waits[base + op] as number;
    const end = rootOffsets[step + 1] as number;
    for (let at = rootOffsets[step] as number; at < end; at++) this.#ready(worker, roots[at] as number);
  }

  /** False where the batch is not prepared yet: the step begins when it is. */
  #takeBatch(worker: number, input: InputBuffers, now: number): boolean {
    const number = this.#begun[worker] as number;
    const ready = input.readyAt(worker, number);
    if (ready > now) this.#timers.push(ready, worker * this.#slots + this.#inputSlot);
    else input.take(worker, number, now);
    return ready <= now;
  }

  #endStep(worker: number): void {
    const now = this.#figures[NOW] as number;
    this.#observer?.step(worker, this.#step[worker] as number, this.#stepStarts[worker] as number, now);
    if (this.#cluster.mode !== 'sync') {
      this.#countStep(worker);
      this.#pauseBeforeStep(worker);
      return;
    }
    const { workers } = this.#cluster;
    if (++this.#atBarrier < workers) return;
    this.#atBarrier = 0;
    for (let each = 0; each < workers; each++) this.#countStep(each);
    for (let each = 0; each < workers; each++) this.#pauseBeforeStep(each);
  }

  #pauseBeforeStep(worker: number): void {
    const { pause } = this.#cluster;
    if (pause > 0) this.#timers.push((this.#figures[NOW] as number) + pause, worker * this.#slots + this.#inputSlot);
    else this.#startStep(worker);
  }

  #countStep(worker: number): void {
    const now = this.#figures[NOW] as number;
    if (!this.#window.count(worker, now)) return;
    this.#figures[FROM] = now;
    this.#use.open(now, this.#left(now));
  }

  /** By unit: seconds still to come of what is being computed and reduced, of all workers. */
  #left(now: number): Float64Array {
    const left = new Float64Array(this.#steps.units.count);
    left[this.#collectiveUnit] = this.#collectives.left(now);
    for (let worker = 0; worker < this.#cluster.workers; worker++) {
      for (let slot = this.#linkUnits; slot < this.#inputSlot; slot++) {
        const op = this.#chunks.opIn(worker, slot);
        if (op === NONE || slot === this.#collectiveUnit) continue;
        const unit = this.#chunks.unitOf(slot);
        const end = this.#chunks.startIn(worker, slot) + this.#timeOf(worker, unit, op);
        left[unit] = (left[unit] as number) + Math.max(0, end - now);
      }
    }
    return left;
  }

  #tell(worker: number, unit: number, slot: number, op: number): void {
    const start = this.#chunks.startIn(worker, slot);
    this.#observer?.chunk(worker, unit, (this.#base[worker] as number) + op, start, this.#figures[NOW] as number);
  }

  #result(): Simulated {
    const from = this.#figures[FROM] as number;
    const to = this.#figures[NOW] as number;
    const { counted, jointRate } = this.#window;
    return {
      throughput: this.#steps.batchSize * (this.#cluster.mode === 'allreduce' ? jointRate : counted / (to - from)),
      from,
      to,
      steps: counted,
      events: this.#events,
      used: this.#use.since(from, to, this.#left(to), this.#cluster),
    };
  }
}
