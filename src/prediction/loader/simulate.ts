import { NONE } from '../../simulation/agenda.ts';
import { SharedClock } from './clock.ts';
import type { Machine } from './machine.ts';
import type { Preparing, Step } from './profile.ts';
import { type LoaderSetting, settling } from './setting.ts';
import { NO_WARM_UP, type WarmUp } from './warm-up.ts';

/** Source of a simulated loader's times, ns. */
export interface Draw {
  preparing(): Preparing;
  step(): Step;
  transfer(): number;
  receive(): number;
  /** Time asleep in each receipt. */
  asleep(): number;
  /** Additional time of a receipt while its worker is at work. */
  held(): number;
  pin(): number;
}

export interface Simulated {
  /** From the end of the settling batches to the end of the last step, ns, and the batches in that time. */
  readonly time: number;
  readonly batches: number;
  /** From the first order to the end of the last step, ns. */
  readonly whole: number;
  /** Part of `time` that the consumer waited. */
  readonly waitShare: number;
  /** Batches that arrived before one ordered earlier. */
  readonly outOfOrder: number;
}

export interface SimulatedLoader {
  readonly setting: LoaderSetting;
  readonly machine: Machine;
  /** Mutual slowdown of busy threads, within the range that was measured or is usual: from the least, 0, to the most, 1. */
  readonly contention: number;
  /** Bytes of a batch, and bandwidth of storage in bytes per ns for so many readers together; undefined: storage keeps up. */
  readonly storage: { readonly bytes: number; rate(readers: number): number } | undefined;
  readonly batches: number;
  /** Additional time of first batches and of the first step, in a pass that begins with it. */
  readonly warmUp?: WarmUp | undefined;
  /** Orders continue after the last simulated batch, as in an endless pass; else the last batches have the cores to themselves. */
  readonly goesOn?: boolean;
  readonly draw: Draw;
}

/** Interval after which a thread that wants the interpreter gets it, ns: the default of Python's `sys.getswitchinterval()`. */
const SWITCH_INTERVAL_NS = 5e6;
/** Number of times that the preparation of a batch alternates between sleeping and working. Judged: how often is not recorded. */
const TURNS = 4;

/** Kinds of events. The number of an event is the position of its kind + the number of kinds × the number of its worker or batch. */
const KINDS = [
  'read',
  'worked',
  'sent',
  'held',
  'slept',
  'unpacked',
  'ordered',
  'woken',
  'device-ready',
  'computed',
  'stepped',
] as const;
type Kind = (typeof KINDS)[number];
const POSITIONS = Object.fromEntries(KINDS.map((kind, position) => [kind, position])) as Record<Kind, number>;

const eventOf = (kind: Kind, of = 0): number => POSITIONS[kind] + KINDS.length * of;
const kindOf = (event: number): Kind | undefined => KINDS[event % KINDS.length];

/**
 * One pass over a DataLoader, as torch runs it: orders go round the workers, `prefetch` of them each at first and one more
 * for every batch that is handed out; each worker prepares its orders one after the other; a prepared batch is sent by a
 * thread of its own and received in the order of arrival, by the consumer or the thread that pins; batches are handed
 * out in the order of the orders.
 */
export function simulate(loader: SimulatedLoader): Simulated {
  return loader.setting.workers === 0 ? withoutWorkers(loader) : new Pass(loader).run();
}

/** Preparation and step in turn: there is one event at a time. */
function withoutWorkers(loader: SimulatedLoader): Simulated {
  const { machine, contention, storage, batches, draw, warmUp = NO_WARM_UP } = loader;
  const clock = new SharedClock(machine, contention);
  const consumer = new Consumer(clock, warmUp);
  let first = Number.NaN;
  let waited = 0;
  for (let batch = 0; batch < batches; batch++) {
    const began = clock.now;
    const { cpu, asleep } = added(draw.preparing(), batch === 0 ? warmUp.preparing : undefined);
    clock.after(storage === undefined ? asleep : storage.bytes / storage.rate(1), eventOf('read'));
    clock.next();
    clock.work(cpu, 1, eventOf('worked'));
    clock.next();
    if (batch === 0) first = clock.now;
    else waited += clock.now - began;
    consumer.begin(draw.step());
    while (!consumer.isDone(clock.next()));
  }
  const time = clock.now - first;
  return { time, batches, whole: clock.now, waitShare: waited / time, outOfOrder: 0 };
}

const added = <T extends { readonly cpu: number; readonly asleep: number }>(
  times: T,
  more: { readonly cpu: number; readonly asleep: number } | undefined,
): T => (more === undefined ? times : { ...times, cpu: times.cpu + more.cpu, asleep: times.asleep + more.asleep });

/** Takes steps one after the other. The host goes on while its device still works, but at most one step ahead of it. */
class Consumer {
  readonly #clock: SharedClock;
  #deviceFree = 0;
  #warmUp: WarmUp['step'] | undefined;
  #step: Step = { cpu: 0, threads: 1, asleep: 0, device: 0, crowding: 1 };

  constructor(clock: SharedClock, { step }: WarmUp) {
    this.#clock = clock;
    this.#warmUp = step;
  }

  begin(taken: Step): void {
    this.#step = added(taken, this.#warmUp);
    this.#warmUp = undefined;
    this.#clock.after(Math.max(0, this.#deviceFree - this.#clock.now), eventOf('device-ready'));
  }

  /** Continues the step after an event, if that is one of its own; true where the step has ended. */
  isDone(event: number): boolean {
    const clock = this.#clock;
    const kind = kindOf(event);
    const { cpu, threads, asleep, device } = this.#step;
    if (kind === 'device-ready') {
      this.#deviceFree = clock.now + device;
      clock.work(cpu * clock.teamCost(threads), threads, eventOf('computed'));
    } else if (kind === 'computed') clock.after(asleep, eventOf('stepped'));
    return kind === 'stepped';
  }
}

interface Worker {
  readonly number: number;
  readonly orders: number[];
  /** Under preparation; NONE where it is idle. */
  batch: number;
  /** CPU time and time asleep of each remaining turn, ns. */
  cpu: number;
  asleep: number;
  turns: number;
  /** Under preparation, and not asleep. */
  isAtWork: boolean;
  /** Of its first batch. */
  warmUp: WarmUp['preparing'] | undefined;
}

class Pass {
  readonly #loader: SimulatedLoader;
  readonly #clock: SharedClock;
  readonly #consumer: Consumer;
  readonly #workers: readonly Worker[];
  /** Sent and not yet received, in the order in which they came. */
  readonly #pipe: number[] = [];
  /** Workers that sent a batch, by its number. */
  readonly #senders: Worker[] = [];
  /** Received by the thread that pins, and pinned. */
  readonly #pinnedQueue: number[] = [];
  readonly #ready = new Set<number>();
  #ordered = 0;
  #turn = 0;
  #handedOut = 0;
  #readers = 0;
  /** Batch under receipt by the consumer or the thread that pins, its CPU time, and the time its worker may still delay it. */
  #unpacked = NONE;
  #unpackCpu = 0;
  #held = 0;
  #isWaiting = false;
  #waitBegan = 0;
  #waited = 0;
  readonly #settling: number;
  readonly #orders: number;
  #settled = 0;
  #ended = 0;
  #outOfOrder = 0;

  constructor(loader: SimulatedLoader) {
    this.#loader = loader;
    this.#clock = new SharedClock(loader.machine, loader.contention);
    const { warmUp = NO_WARM_UP } = loader;
    this.#consumer = new Consumer(this.#clock, warmUp);
    const { workers, prefetch } = loader.setting;
    this.#settling = settling(workers, loader.batches);
    this.#orders = loader.batches + (loader.goesOn === true ? workers * prefetch : 0);
    this.#workers = Array.from({ length: workers }, (_, number) => ({
      number,
      orders: [],
      batch: NONE,
      cpu: 0,
      asleep: 0,
      turns: 0,
      isAtWork: false,
      warmUp: warmUp.preparing,
    }));
  }

  run(): Simulated {
    const { workers, prefetch } = this.#loader.setting;
    for (let order = 0; order < workers * prefetch; order++) this.#order();
    this.#wait();
    for (let event = this.#clock.next(); event !== NONE; event = this.#clock.next()) this.#happen(event);
    const time = this.#ended - this.#settled;
    const batches = this.#loader.batches - this.#settling;
    const whole = this.#ended;
    return { time, batches, whole, waitShare: this.#waited / time, outOfOrder: this.#outOfOrder };
  }

  #happen(event: number): void {
    const of = Math.floor(event / KINDS.length);
    switch (kindOf(event)) {
      case 'read':
        this.#work(this.#workers[of] as Worker);
        return;
      case 'worked':
        this.#worked(this.#workers[of] as Worker);
        return;
      case 'sent':
        this.#pipe.push(of);
        if (this.#loader.setting.pinned) this.#pin();
        else this.#receive();
        return;
      case 'held':
        this.#held -= SWITCH_INTERVAL_NS;
        this.#unpackUnlessHeld();
        return;
      case 'slept':
        this.#clock.work(this.#unpackCpu, 1, eventOf('unpacked'));
        return;
      case 'unpacked':
        this.#received();
        return;
      case 'ordered':
        this.#clock.after(this.#clock.wakeDelay, eventOf('woken'));
        return;
      case 'woken':
        this.#step();
        return;
      default:
        if (this.#consumer.isDone(event)) this.#wait();
    }
  }

  /** Orders go round; where order does not matter, to a worker that has room. */
  #order(): void {
    const { setting } = this.#loader;
    if (this.#ordered === this.#orders) return;
    const count = this.#workers.length;
    for (let tried = 0; tried < count; tried++) {
      const worker = this.#workers[this.#turn++ % count] as Worker;
      const held = worker.orders.length + (worker.batch === NONE ? 0 : 1);
      if (!setting.inOrder && held >= setting.prefetch) continue;
      worker.orders.push(this.#ordered++);
      this.#take(worker);
      return;
    }
  }

  #take(worker: Worker): void {
    if (worker.batch !== NONE) return;
    const batch = worker.orders.shift();
    if (batch === undefined) return;
    worker.batch = batch;
    const { cpu, asleep } = added(this.#loader.draw.preparing(), worker.warmUp);
    worker.warmUp = undefined;
    worker.cpu = cpu / TURNS;
    worker.asleep = asleep / TURNS;
    worker.turns = TURNS;
    this.#read(worker);
  }

  /** Bytes come at the bandwidth that this many readers get, which is looked up anew in every turn. */
  #read({ number, asleep }: Worker): void {
    const { storage } = this.#loader;
    const readers = ++this.#readers;
    const time = storage === undefined ? asleep : (storage.bytes / TURNS) * (readers / storage.rate(readers));
    this.#clock.after(time, eventOf('read', number));
  }

  #work(worker: Worker): void {
    this.#readers--;
    worker.isAtWork = true;
    this.#clock.work(worker.cpu, 1, eventOf('worked', worker.number));
  }

  #worked(worker: Worker): void {
    worker.isAtWork = false;
    if (--worker.turns > 0) {
      this.#read(worker);
      return;
    }
    this.#senders[worker.batch] = worker;
    this.#clock.work(this.#loader.draw.transfer(), 1, eventOf('sent', worker.batch));
    worker.batch = NONE;
    this.#take(worker);
  }

  #pin(): void {
    const batch = this.#unpacked === NONE ? this.#pipe.shift() : undefined;
    if (batch === undefined) return;
    const { draw } = this.#loader;
    this.#unpack(batch, draw.receive() + draw.pin());
  }

  #wait(): void {
    if (this.#handedOut === this.#loader.batches) {
      this.#ended = this.#clock.now;
      return;
    }
    this.#isWaiting = true;
    this.#waitBegan = this.#clock.now;
    this.#receive();
  }

  /** The consumer takes what came until it has the batch that is next. */
  #receive(): void {
    const { inOrder, pinned } = this.#loader.setting;
    if (!this.#isWaiting || (!pinned && this.#unpacked !== NONE)) return;
    if (inOrder && this.#ready.delete(this.#handedOut)) {
      this.#handOut();
      return;
    }
    const batch = (pinned ? this.#pinnedQueue : this.#pipe).shift();
    if (batch === undefined) return;
    if (pinned) this.#arrived(batch);
    else this.#unpack(batch, this.#loader.draw.receive());
  }

  #unpack(batch: number, cpu: number): void {
    this.#unpacked = batch;
    this.#unpackCpu = cpu;
    this.#held = this.#loader.draw.held();
    this.#unpackUnlessHeld();
  }

  /** Its worker delays a receipt for `#held` at most; whether it is still at work is looked up when threads switch. */
  #unpackUnlessHeld(): void {
    if (this.#held > 0 && this.#senders[this.#unpacked]?.isAtWork === true) {
      this.#clock.after(Math.min(this.#held, SWITCH_INTERVAL_NS), eventOf('held'));
      return;
    }
    const asleep = this.#loader.draw.asleep();
    if (asleep > 0) this.#clock.after(asleep, eventOf('slept'));
    else this.#clock.work(this.#unpackCpu, 1, eventOf('unpacked'));
  }

  #received(): void {
    const batch = this.#unpacked;
    this.#unpacked = NONE;
    if (!this.#loader.setting.pinned) {
      this.#arrived(batch);
      return;
    }
    this.#pinnedQueue.push(batch);
    this.#receive();
    this.#pin();
  }

  #arrived(batch: number): void {
    if (this.#loader.setting.inOrder && batch !== this.#handedOut) {
      this.#outOfOrder++;
      this.#ready.add(batch);
      this.#receive();
    } else this.#handOut();
  }

  /** The next order goes out before the consumer has its batch, and the worker that gets it may take its core. */
  #handOut(): void {
    this.#isWaiting = false;
    this.#handedOut++;
    this.#order();
    // By the time of this event, the worker that got the order is at work.
    this.#clock.after(0, eventOf('ordered'));
  }

  #step(): void {
    const number = this.#handedOut - 1;
    if (number === this.#settling) this.#settled = this.#clock.now;
    else if (number > this.#settling) this.#waited += this.#clock.now - this.#waitBegan;
    this.#consumer.begin(this.#loader.draw.step());
  }
}
