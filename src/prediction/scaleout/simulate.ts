import { Random } from '../../math/random.ts';
import { Agenda, NONE } from '../../simulation/agenda.ts';
import { FlowLinks } from '../../simulation/flow-links.ts';
import type { LinkSpeeds, Links } from '../../simulation/links.ts';
import { SharedLinks } from '../../simulation/shared-links.ts';
import type { Cluster } from './cluster.ts';
import type { CompiledSteps } from './compile.ts';
import { InputBuffers } from './input-buffers.ts';
import { CountingWindow } from './window.ts';

/** How much is simulated. */
export interface Extent {
  /** Steps of the first worker to end. */
  readonly steps: number;
  /** Steps of each worker before throughput is counted. */
  readonly warmUp: number;
  readonly seed: number;
  /** Profiled steps follow each other as recorded, instead of being drawn. */
  readonly inOrder?: boolean | undefined;
  /** Positions of the profiled steps there are to draw from; all unless given. One may stand there several times (a bootstrap's). */
  readonly choices?: readonly number[] | undefined;
}

/** Told of everything that happens: for traces. Moments in seconds. */
export interface Observer {
  /** A chunk of an op, or a whole one, by its unit and its row in the compiled tables. */
  chunk(worker: number, unit: number, row: number, start: number, end: number): void;
  /** A step, by its position in the profile. */
  step(worker: number, step: number, start: number, end: number): void;
}

export interface Simulated {
  /** Examples per second of all workers. */
  readonly throughput: number;
  /** Window over which it was counted, s, and steps that ended in it. */
  readonly from: number;
  readonly to: number;
  readonly steps: number;
  /** Chunks that ended, over the whole simulation. */
  readonly events: number;
  /** By unit: the part of its capacity that was used in the window, over all workers. */
  readonly used: readonly number[];
}

/** Columns of the figures that change with every event. */
const NOW = 0;
const FROM = 1;
/** Time of the collective that workers are coming to. */
const JOINT = 2;
const FIGURES = JOINT + 1;

/**
 * A cluster in virtual time, by the paper's algorithm 3.1 with its defects mended: busy units are those with a running chunk, dependents are
 * released before a unit is freed, every op without dependencies begins a step, and a step ends when all its ops have (R1-R8). An event is
 * the end of a chunk. State is in typed arrays, indexed by worker × units + unit or worker × ops + op.
 */
export function simulate(steps: CompiledSteps, cluster: Cluster, extent: Extent, observer?: Observer): Simulated {
  return new Simulation(steps, cluster, extent, observer).run();
}

class Simulation {
  readonly #steps: CompiledSteps;
  readonly #cluster: Cluster;
  readonly #extent: Extent;
  readonly #observer: Observer | undefined;
  readonly #random = new Random();
  readonly #timers = new Agenda();
  readonly #down: Links;
  readonly #up: Links;
  readonly #figures = new Float64Array(FIGURES);
  readonly #servers: number;
  /** Units that transmit come first. */
  readonly #linkUnits: number;
  readonly #units: number;
  readonly #workerUnit: number;
  readonly #parserUnit: number;
  readonly #collectiveUnit: number;
  /** A slot holds one running chunk: one for each unit, then the further lanes of the worker's processor. The last stands for what comes before a step: a pause, the wait for a batch. */
  readonly #slots: number;
  readonly #inputSlot: number;
  readonly #most: number;
  readonly #lanes: number;
  /** Events of transfers that will be asked for come after that of the collective, by worker × ops + op. */
  readonly #firstAsked: number;

  /** By worker × units + unit: queues of ops, and of the rest of streams where fresh ones go first; chunks that run. */
  readonly #heads: Int32Array;
  readonly #tails: Int32Array;
  readonly #restHeads: Int32Array;
  readonly #restTails: Int32Array;
  readonly #running: Int32Array;
  /** By worker × ops + op. */
  readonly #next: Int32Array;
  readonly #waits: Int32Array;
  readonly #bytesLeft: Float64Array;
  /** By worker × slots + slot. */
  readonly #slotOps: Int32Array;
  readonly #slotStarts: Float64Array;
  /** By worker. */
  readonly #step: Int32Array;
  readonly #base: Int32Array;
  readonly #durationBase: Int32Array;
  readonly #opsLeft: Int32Array;
  readonly #begun: Int32Array;
  readonly #stepStarts: Float64Array;
  readonly #pace: Float64Array;
  readonly #input: InputBuffers | undefined;
  readonly #collectiveTimes: Float64Array;
  /** Workers that have come to the next collective. */
  #arrived = 0;
  #atBarrier = 0;

  /** By unit: seconds of computation begun. */
  readonly #busy: Float64Array;
  readonly #window: CountingWindow;
  #events = 0;
  readonly #usedBefore: Float64Array;

  constructor(steps: CompiledSteps, cluster: Cluster, extent: Extent, observer: Observer | undefined) {
    const { units, most } = steps;
    const { workers, lanes } = cluster;
    this.#steps = steps;
    this.#cluster = cluster;
    this.#extent = extent;
    this.#observer = observer;
    const speeds = linkSpeeds(cluster);
    this.#down = linksOf(speeds);
    this.#up = linksOf(speeds);
    this.#servers = units.servers;
    this.#linkUnits = units.servers * 2;
    this.#units = units.count;
    this.#workerUnit = units.worker;
    this.#parserUnit = units.parser;
    this.#collectiveUnit = units.collective;
    this.#inputSlot = units.count + lanes - 1;
    this.#slots = this.#inputSlot + 1;
    this.#most = most;
    this.#lanes = lanes;
    this.#firstAsked = workers * this.#slots + 1;
    const queues = workers * units.count;
    this.#heads = new Int32Array(queues).fill(NONE);
    this.#tails = new Int32Array(queues);
    this.#restHeads = new Int32Array(queues).fill(NONE);
    this.#restTails = new Int32Array(queues);
    this.#running = new Int32Array(queues);
    this.#next = new Int32Array(workers * most);
    this.#waits = new Int32Array(workers * most);
    this.#bytesLeft = new Float64Array(workers * most);
    this.#slotOps = new Int32Array(workers * this.#slots).fill(NONE);
    this.#slotStarts = new Float64Array(workers * this.#slots);
    this.#step = new Int32Array(workers);
    this.#base = new Int32Array(workers);
    this.#durationBase = new Int32Array(workers);
    this.#opsLeft = new Int32Array(workers);
    this.#begun = new Int32Array(workers);
    this.#stepStarts = new Float64Array(workers);
    this.#pace = new Float64Array(workers).fill(1);
    this.#input = cluster.input && new InputBuffers(workers, cluster.input);
    this.#collectiveTimes = collectiveTimes(steps, cluster);
    this.#busy = new Float64Array(units.count);
    this.#usedBefore = new Float64Array(units.count);
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
    const down = this.#down.nextEnd;
    const up = this.#up.nextEnd;
    if (this.#window.isClosed) {
      const now = this.#figures[NOW] as number;
      // Steps that take no time would end at the same moment for ever.
      if (Math.min(timer, down, up) > now || now === this.#figures[FROM]) return false;
    }
    if (timer <= down && timer <= up) {
      if (timer === Number.POSITIVE_INFINITY)
        throw new Error('Nothing is left to simulate before the last step has ended.');
      this.#figures[NOW] = timer;
      this.#timerEnded(this.#timers.pop());
    } else if (down <= up) {
      this.#figures[NOW] = down;
      const flow = this.#down.finish();
      this.#transmitted((flow / this.#servers) | 0, flow % this.#servers);
    } else {
      this.#figures[NOW] = up;
      const flow = this.#up.finish();
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
    if (worker === this.#cluster.workers) {
      this.#reduced();
      return;
    }
    const slot = event - worker * this.#slots;
    if (slot === this.#inputSlot) this.#startStep(worker);
    else this.#ended(worker, slot < this.#units ? slot : this.#workerUnit, slot);
  }

  /** A chunk has arrived: the rest of its stream queues again, or the op has ended. */
  #transmitted(worker: number, unit: number): void {
    const op = this.#slotOps[worker * this.#slots + unit] as number;
    if (this.#bytesLeft[worker * this.#most + op] === 0) {
      this.#ended(worker, unit, unit);
      return;
    }
    this.#events++;
    if (this.#observer !== undefined) this.#tell(worker, unit, unit, op);
    if (this.#cluster.multiplexing === 'fresh') this.#queueRest(worker, unit, op);
    else this.#queue(worker, unit, op);
    this.#running[worker * this.#units + unit] = 0;
    this.#dispatch(worker, unit);
  }

  #ended(worker: number, unit: number, slot: number): void {
    this.#events++;
    const op = this.#slotOps[worker * this.#slots + slot] as number;
    if (this.#observer !== undefined) this.#tell(worker, unit, slot, op);
    this.#release(worker, op);
    const place = worker * this.#units + unit;
    this.#running[place] = (this.#running[place] as number) - 1;
    this.#slotOps[worker * this.#slots + slot] = NONE;
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

  /** An op waits for no other any more. A transfer may still have to be asked for. */
  #ready(worker: number, op: number): void {
    if (this.#unitOf(worker, op) < this.#linkUnits) {
      const delay = this.#steps.durations[(this.#durationBase[worker] as number) + op] as number;
      if (delay > 0) {
        this.#timers.push((this.#figures[NOW] as number) + delay, this.#firstAsked + worker * this.#most + op);
        return;
      }
    }
    this.#enter(worker, op);
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
    this.#queue(worker, needed, op);
    if (this.#isFree(worker, needed)) this.#dispatch(worker, needed);
  }

  #unitOf(worker: number, op: number): number {
    return this.#steps.unit[(this.#base[worker] as number) + op] as number;
  }

  #isFree(worker: number, unit: number): boolean {
    return (this.#running[worker * this.#units + unit] as number) < (unit === this.#workerUnit ? this.#lanes : 1);
  }

  #queue(worker: number, unit: number, op: number): void {
    const place = worker * this.#units + unit;
    const first = worker * this.#most;
    this.#next[first + op] = NONE;
    if (this.#heads[place] === NONE) this.#heads[place] = op;
    else this.#next[first + (this.#tails[place] as number)] = op;
    this.#tails[place] = op;
  }

  #queueRest(worker: number, unit: number, op: number): void {
    const place = worker * this.#units + unit;
    const first = worker * this.#most;
    this.#next[first + op] = NONE;
    if (this.#restHeads[place] === NONE) this.#restHeads[place] = op;
    else this.#next[first + (this.#restTails[place] as number)] = op;
    this.#restTails[place] = op;
  }

  /** Runs the next chunk that is queued for a unit, if there is one. */
  #dispatch(worker: number, unit: number): void {
    const place = worker * this.#units + unit;
    let op = this.#heads[place] as number;
    if (op !== NONE) this.#heads[place] = this.#next[worker * this.#most + op] as number;
    else {
      op = this.#restHeads[place] as number;
      if (op === NONE) return;
      this.#restHeads[place] = this.#next[worker * this.#most + op] as number;
    }
    this.#running[place] = (this.#running[place] as number) + 1;
    const slot = unit === this.#workerUnit && this.#lanes > 1 ? this.#freeLane(worker) : unit;
    const index = worker * this.#slots + slot;
    this.#slotOps[index] = op;
    this.#slotStarts[index] = this.#figures[NOW] as number;
    if (unit < this.#linkUnits) this.#transmit(worker, unit, op);
    else if (unit === this.#collectiveUnit) this.#arrive(worker, op);
    else this.#compute(worker, unit, op, index);
  }

  #compute(worker: number, unit: number, op: number, event: number): void {
    const time = this.#timeOf(worker, unit, op);
    this.#busy[unit] = (this.#busy[unit] as number) + time;
    this.#timers.push((this.#figures[NOW] as number) + time, event);
  }

  #timeOf(worker: number, unit: number, op: number): number {
    const recorded = this.#steps.durations[(this.#durationBase[worker] as number) + op] as number;
    return unit === this.#workerUnit ? recorded * (this.#pace[worker] as number) : recorded;
  }

  #freeLane(worker: number): number {
    const slots = worker * this.#slots;
    if (this.#slotOps[slots + this.#workerUnit] === NONE) return this.#workerUnit;
    for (let slot = this.#units; slot < this.#inputSlot; slot++) if (this.#slotOps[slots + slot] === NONE) return slot;
    throw new Error('No lane of the worker is free.');
  }

  /** Sends WIN bytes of a stream that has more, the first time or every time; else all that is left. */
  #transmit(worker: number, unit: number, op: number): void {
    const { window, multiplexing } = this.#cluster;
    const at = worker * this.#most + op;
    const left = this.#bytesLeft[at] as number;
    const isFresh = left === (this.#steps.bytes[(this.#base[worker] as number) + op] as number);
    const chunk = left > window && (isFresh || multiplexing === 'cycle') ? window : left;
    this.#bytesLeft[at] = left - chunk;
    if (unit < this.#servers) this.#down.start(this.#figures[NOW] as number, worker, unit, chunk);
    else this.#up.start(this.#figures[NOW] as number, worker, unit - this.#servers, chunk);
  }

  /** A collective begins when the last worker has come to its own part of it: the n-th of one worker belongs to the n-th of every other. */
  #arrive(worker: number, op: number): void {
    const own = this.#collectiveTimes[(this.#base[worker] as number) + op] as number;
    const time = Math.max(this.#figures[JOINT] as number, own);
    this.#figures[JOINT] = time;
    if (++this.#arrived < this.#cluster.workers) return;
    this.#arrived = 0;
    this.#figures[JOINT] = 0;
    this.#busy[this.#collectiveUnit] = (this.#busy[this.#collectiveUnit] as number) + time;
    this.#timers.push((this.#figures[NOW] as number) + time, this.#cluster.workers * this.#slots);
  }

  /** The one collective that runs has ended, for all workers. */
  #reduced(): void {
    const { workers } = this.#cluster;
    for (let worker = 0; worker < workers; worker++) this.#ended(worker, this.#collectiveUnit, this.#collectiveUnit);
  }

  #startStep(worker: number): void {
    const now = this.#figures[NOW] as number;
    if (this.#input !== undefined && !this.#takeBatch(worker, this.#input, now)) return;
    const { bases, counts, durationBases, rootOffsets, roots, waits } = this.#steps;
    const step = this.#draw(worker);
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

  /** Uniformly, with replacement; by worker and number of the step, so that nothing depends on the order of events. */
  #draw(worker: number): number {
    const { seed, inOrder, choices } = this.#extent;
    const { straggling, speeds } = this.#cluster;
    const count = choices?.length ?? this.#steps.bases.length;
    const number = this.#begun[worker] as number;
    this.#random.rekey(seed, 0, worker, number, 0);
    const drawn = inOrder === true ? number % count : this.#random.int(count);
    const step = choices?.[drawn] ?? drawn;
    const slower = straggling !== undefined && this.#random.uniform() < straggling.probability ? straggling.factor : 1;
    this.#pace[worker] = slower / (speeds[worker] ?? 1);
    return step;
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
    if (!this.#window.count(worker, this.#figures[NOW] as number)) return;
    this.#figures[FROM] = this.#figures[NOW] as number;
    for (let unit = 0; unit < this.#units; unit++) this.#usedBefore[unit] = this.#usedOf(unit);
  }

  /** Bytes or seconds by now. */
  #usedOf(unit: number): number {
    const now = this.#figures[NOW] as number;
    if (unit >= this.#linkUnits) return this.#busy[unit] as number;
    return unit < this.#servers ? this.#down.carried(now, unit) : this.#up.carried(now, unit - this.#servers);
  }

  #tell(worker: number, unit: number, slot: number, op: number): void {
    const start = this.#slotStarts[worker * this.#slots + slot] as number;
    this.#observer?.chunk(worker, unit, (this.#base[worker] as number) + op, start, this.#figures[NOW] as number);
  }

  #result(): Simulated {
    const { workers, serverBandwidths, mode } = this.#cluster;
    const from = this.#figures[FROM] as number;
    const to = this.#figures[NOW] as number;
    const capacity = (unit: number): number => {
      if (unit < this.#linkUnits) return serverBandwidths[unit % this.#servers] ?? 0;
      if (unit === this.#collectiveUnit) return 1;
      return unit === this.#workerUnit ? workers * this.#lanes : workers;
    };
    const { counted, jointRate } = this.#window;
    return {
      throughput: this.#steps.batchSize * (mode === 'allreduce' ? jointRate : counted / (to - from)),
      from,
      to,
      steps: counted,
      events: this.#events,
      used: Array.from(
        this.#busy,
        (_, unit) => (this.#usedOf(unit) - (this.#usedBefore[unit] as number)) / (capacity(unit) * (to - from)),
      ),
    };
  }
}

const linksOf = (speeds: LinkSpeeds): Links =>
  SharedLinks.serves(speeds) ? new SharedLinks(speeds) : new FlowLinks(speeds);

const linkSpeeds = ({ workers, perHost, serverBandwidths, hostBandwidths }: Cluster): LinkSpeeds => ({
  servers: serverBandwidths,
  cards: hostBandwidths,
  cardOf: Array.from({ length: workers }, (_, worker) => Math.floor(worker / perHost)),
});

/** By row: seconds of a collective. */
function collectiveTimes({ units, unit, bytes }: CompiledSteps, { allReduceTime }: Cluster): Float64Array {
  if (allReduceTime === undefined) return new Float64Array(0);
  return bytes.map((own, row) => (unit[row] === units.collective ? allReduceTime(own) : 0));
}
