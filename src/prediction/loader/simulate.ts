import { SharedClock } from './clock.ts';
import type { Machine } from './machine.ts';
import type { Preparing, Step } from './profile.ts';
import { type LoaderSetting, settling } from './setting.ts';
import { NO_WARM_UP, type WarmUp } from './warm-up.ts';

/** Where a simulated loader takes its times from. */
export interface Draw {
  preparing(): Preparing;
  step(): Step;
  transfer(): number;
  receive(): number;
  /** Asleep in each receipt. */
  asleep(): number;
  /** What receiving takes longer while its worker is at work. */
  held(): number;
  pin(): number;
}

export interface Simulated {
  /** From when the first batches were past to the end of the last step, and batches in that time. */
  readonly time: number;
  readonly batches: number;
  /** From the first order to the end of the last step. */
  readonly whole: number;
  /** Part of `time` that the consumer waited. */
  readonly waitShare: number;
  /** Batches that arrived before one ordered earlier. */
  readonly outOfOrder: number;
}

export interface SimulatedLoader {
  readonly setting: LoaderSetting;
  readonly machine: Machine;
  /** How much threads that are busy at the same time cost each other, of what was measured or is usual: from the least, 0, to the most, 1. */
  readonly suffering: number;
  /** Storage, in bytes per ns to so many readers together, and bytes that a batch takes from it; undefined: it keeps up. */
  readonly storage: { readonly bytes: number; rate(readers: number): number } | undefined;
  readonly batches: number;
  /** What first batches and the first step take more, in a pass that begins with it. */
  readonly warmUp?: WarmUp | undefined;
  /** Orders go on after the last of them, as in a pass without end; else the last batches find the cores for themselves. */
  readonly goesOn?: boolean;
  readonly draw: Draw;
}

/** A thread that wants the interpreter gets it after so long: Python's `sys.getswitchinterval()`, unless a program sets another. */
const TURN_NS = 5e6;
/** A batch alternates between sleeping and working so many times. */
const TURNS = 4;

/**
 * One pass over a DataLoader, as torch runs it: orders go round the workers, `prefetch` of them each at first and one more
 * for every batch that is handed out; each worker prepares its orders one after the other; what is prepared is sent by a
 * thread of its own and received in the order in which it came, by the consumer or the thread that pins; batches are handed
 * out in the order of the orders.
 */
export function simulate(loader: SimulatedLoader): Simulated {
  return loader.setting.workers === 0 ? withoutWorkers(loader) : new Pass(loader).run();
}

function withoutWorkers(loader: SimulatedLoader): Simulated {
  const { machine, suffering, storage, batches, draw, warmUp = NO_WARM_UP } = loader;
  const clock = new SharedClock(machine, suffering);
  const consumer = new Consumer(clock, warmUp);
  let more: WarmUp['preparing'] | undefined = warmUp.preparing;
  let left = batches;
  let first = Number.NaN;
  let waited = 0;
  const prepare = (): void => {
    if (left-- === 0) return;
    const began = clock.now;
    const { cpu, asleep } = added(draw.preparing(), more);
    more = undefined;
    const reading = storage === undefined ? asleep : storage.bytes / storage.rate(1);
    clock.after(reading, () =>
      clock.work(cpu, 1, () => {
        if (Number.isNaN(first)) first = clock.now;
        else waited += clock.now - began;
        consumer.step(draw.step(), prepare);
      }),
    );
  };
  prepare();
  while (clock.next());
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

  constructor(clock: SharedClock, { step }: WarmUp) {
    this.#clock = clock;
    this.#warmUp = step;
  }

  step(taken: Step, then: () => void): void {
    const clock = this.#clock;
    const { cpu, threads, asleep, device } = added(taken, this.#warmUp);
    this.#warmUp = undefined;
    clock.after(Math.max(0, this.#deviceFree - clock.now), () => {
      this.#deviceFree = clock.now + device;
      clock.work(cpu * clock.teamCost(threads), threads, () => clock.after(asleep, then));
    });
  }
}

interface Worker {
  readonly orders: number[];
  isBusy: boolean;
  /** Busy, and not asleep. */
  isAtWork: boolean;
  /** Of its first batch. */
  warmUp: WarmUp['preparing'] | undefined;
}

class Pass {
  readonly #loader: SimulatedLoader;
  readonly #clock: SharedClock;
  readonly #consumer: Consumer;
  readonly #workers: Worker[];
  /** Sent and not yet received, in the order in which they came. */
  readonly #pipe: number[] = [];
  readonly #senders = new Map<number, Worker>();
  /** Received by the thread that pins, and pinned. */
  readonly #pinnedQueue: number[] = [];
  readonly #ready = new Set<number>();
  #ordered = 0;
  #turn = 0;
  #handedOut = 0;
  #readers = 0;
  #isPinning = false;
  #isWaiting = false;
  #isReceiving = false;
  #waitBegan = 0;
  #waited = 0;
  readonly #settling: number;
  readonly #orders: number;
  #settled = 0;
  #ended = 0;
  #outOfOrder = 0;

  constructor(loader: SimulatedLoader) {
    this.#loader = loader;
    this.#clock = new SharedClock(loader.machine, loader.suffering);
    const { warmUp = NO_WARM_UP } = loader;
    this.#consumer = new Consumer(this.#clock, warmUp);
    const { workers, prefetch } = loader.setting;
    this.#settling = settling(workers, loader.batches);
    this.#orders = loader.batches + (loader.goesOn === true ? workers * prefetch : 0);
    this.#workers = Array.from({ length: loader.setting.workers }, () => ({
      orders: [],
      isBusy: false,
      isAtWork: false,
      warmUp: warmUp.preparing,
    }));
  }

  run(): Simulated {
    const { workers, prefetch } = this.#loader.setting;
    for (let order = 0; order < workers * prefetch; order++) this.#order();
    this.#wait();
    while (this.#clock.next());
    const time = this.#ended - this.#settled;
    const batches = this.#loader.batches - this.#settling;
    const whole = this.#ended;
    return { time, batches, whole, waitShare: this.#waited / time, outOfOrder: this.#outOfOrder };
  }

  /** Orders go round; where order does not matter, to a worker that has room. */
  #order(): void {
    const { setting } = this.#loader;
    if (this.#ordered === this.#orders) return;
    const count = this.#workers.length;
    for (let tried = 0; tried < count; tried++) {
      const worker = this.#workers[this.#turn++ % count];
      if (worker === undefined) continue;
      const held = worker.orders.length + (worker.isBusy ? 1 : 0);
      if (!setting.inOrder && held >= setting.prefetch) continue;
      worker.orders.push(this.#ordered++);
      this.#take(worker);
      return;
    }
  }

  #take(worker: Worker): void {
    if (worker.isBusy) return;
    const batch = worker.orders.shift();
    if (batch === undefined) return;
    worker.isBusy = true;
    const { cpu, asleep } = added(this.#loader.draw.preparing(), worker.warmUp);
    worker.warmUp = undefined;
    this.#prepare(worker, batch, cpu / TURNS, asleep / TURNS, TURNS);
  }

  #prepare(worker: Worker, batch: number, cpu: number, asleep: number, turns: number): void {
    if (turns === 0) {
      worker.isBusy = false;
      this.#senders.set(batch, worker);
      this.#clock.work(this.#loader.draw.transfer(), 1, () => this.#sent(batch));
      this.#take(worker);
      return;
    }
    this.#read(asleep, () => {
      worker.isAtWork = true;
      this.#clock.work(cpu, 1, () => {
        worker.isAtWork = false;
        this.#prepare(worker, batch, cpu, asleep, turns - 1);
      });
    });
  }

  /** Bytes come at the pace that this many readers get; it is looked at again whenever a part has come. */
  #read(asleep: number, then: () => void): void {
    const { storage } = this.#loader;
    if (storage === undefined) {
      this.#clock.after(asleep, then);
      return;
    }
    this.#readers++;
    this.#clock.after((storage.bytes / TURNS) * (this.#readers / storage.rate(this.#readers)), () => {
      this.#readers--;
      then();
    });
  }

  #sent(batch: number): void {
    this.#pipe.push(batch);
    if (this.#loader.setting.pinned) this.#pin();
    else this.#receive();
  }

  #pin(): void {
    const batch = this.#isPinning ? undefined : this.#pipe.shift();
    if (batch === undefined) return;
    this.#isPinning = true;
    const { draw } = this.#loader;
    this.#unpack(batch, draw.receive() + draw.pin(), () => {
      this.#isPinning = false;
      this.#pinnedQueue.push(batch);
      this.#receive();
      this.#pin();
    });
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
    const { setting, draw } = this.#loader;
    if (!this.#isWaiting || this.#isReceiving) return;
    if (setting.inOrder && this.#ready.delete(this.#handedOut)) {
      this.#handOut();
      return;
    }
    const batch = (setting.pinned ? this.#pinnedQueue : this.#pipe).shift();
    if (batch === undefined) return;
    this.#isReceiving = true;
    const received = (): void => {
      this.#isReceiving = false;
      if (setting.inOrder && batch !== this.#handedOut) {
        this.#outOfOrder++;
        this.#ready.add(batch);
        this.#receive();
      } else this.#handOut();
    };
    if (setting.pinned) received();
    else this.#unpack(batch, draw.receive(), received);
  }

  #unpack(batch: number, cpu: number, then: () => void): void {
    const { draw } = this.#loader;
    this.#whileHeld(batch, draw.held(), () => {
      const asleep = draw.asleep();
      if (asleep > 0) this.#clock.after(asleep, () => this.#clock.work(cpu, 1, then));
      else this.#clock.work(cpu, 1, then);
    });
  }

  /** Then, after `held` at most: who sent the batch may stop working meanwhile, which is looked at whenever threads take turns. */
  #whileHeld(batch: number, held: number, then: () => void): void {
    if (held <= 0 || this.#senders.get(batch)?.isAtWork !== true) then();
    else this.#clock.after(Math.min(held, TURN_NS), () => this.#whileHeld(batch, held - TURN_NS, then));
  }

  /** The next order goes out before the consumer has its batch, and who gets it may take its core. */
  #handOut(): void {
    this.#isWaiting = false;
    const number = this.#handedOut++;
    this.#order();
    const handedOut = (): void => {
      if (number === this.#settling) this.#settled = this.#clock.now;
      else if (number > this.#settling) this.#waited += this.#clock.now - this.#waitBegan;
      this.#consumer.step(this.#loader.draw.step(), () => this.#wait());
    };
    // Who got the order is at work by then.
    this.#clock.after(0, () => this.#clock.after(this.#clock.wakeDelay, handedOut));
  }
}
