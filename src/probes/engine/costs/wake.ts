import { Clock } from '../../../engine/runtime/books/clock.ts';
import { allocateRing, RingConsumer, type RingMemory, RingProducer } from '../../../engine/runtime/ring/index.ts';
import { plainShape } from '../../../graph/channel-shape.ts';
import { median } from '../../../math/statistics.ts';
import type { PipelineCosts } from '../../../model/pipeline-costs.ts';
import { openThreadClock } from '../../host/thread-clock.ts';
import { costOf } from './cost-of.ts';
import type { CostLanes } from './lanes.ts';

export interface WakeTask {
  readonly kind: 'call' | 'answer';
  /** The caller fills the first ring and empties the second. */
  readonly there: RingMemory;
  readonly back: RingMemory;
  /** When the caller last called, on `process.hrtime.bigint()`. */
  readonly calledAt: SharedArrayBuffer;
}

const TRIPS = 60;
/** Long enough for the other to be asleep, and its core too. */
const PAUSE_MS = 0.5;
const SLOTS = 4;
const SLOT_BYTES = 4096;
const BYTES = 64;

/** ns of a trip. */
export interface WakeAccount {
  /** Handing on to one that sleeps, and to one that is awake, by the wall clock: it takes less than a tick of the other. */
  readonly wakingNs: number;
  readonly handingNs: number;
  /** Until the other had it. */
  readonly delayNs: number;
  /** CPU of the thread that answered: it is woken, takes what came, and hands on to one that sleeps. */
  readonly answerCpuNs: number;
}

/** One of two threads that hand a chunk to and fro, each asleep when it comes. */
export function wakeEachOther(task: WakeTask): Partial<WakeAccount> {
  const clock = new Clock(process.hrtime.bigint());
  const isCaller = task.kind === 'call';
  const producer = new RingProducer(isCaller ? task.there : task.back, clock);
  const consumer = new RingConsumer(isCaller ? task.back : task.there, clock);
  const calledAt = new BigInt64Array(task.calledAt);
  return isCaller ? call(producer, consumer, calledAt) : answer(producer, consumer, calledAt);
}

const bytes = new Uint8Array(BYTES);

function call(producer: RingProducer, consumer: RingConsumer, calledAt: BigInt64Array): Partial<WakeAccount> {
  const handingNs = handingOnAwake();
  const waking: number[] = [];
  const pause = new Int32Array(new SharedArrayBuffer(4));
  for (let trip = 0; trip < TRIPS; trip++) {
    Atomics.wait(pause, 0, 0, PAUSE_MS);
    const began = process.hrtime.bigint();
    calledAt[0] = began;
    producer.write(trip, bytes, 1, 0, 0);
    waking.push(Number(process.hrtime.bigint() - began));
    consumer.receive(trip);
    consumer.release(trip);
  }
  return { wakingNs: median(waking), handingNs };
}

/** ns to hand a chunk on where nobody waits for it. */
function handingOnAwake(): number {
  const memory = allocateRing(plainShape(TRIPS, TRIPS * SLOT_BYTES));
  // A page that is touched for the first time costs more than handing on.
  new Uint8Array(memory.data).fill(1);
  const producer = new RingProducer(memory, new Clock(process.hrtime.bigint()));
  const handing = Array.from({ length: TRIPS }, (_, chunk) => {
    const began = process.hrtime.bigint();
    producer.write(chunk, bytes, 1, 0, 0);
    return Number(process.hrtime.bigint() - began);
  });
  return median(handing);
}

function answer(producer: RingProducer, consumer: RingConsumer, calledAt: BigInt64Array): Partial<WakeAccount> {
  const clock = openThreadClock();
  const delays: number[] = [];
  clock.read();
  const before = clock.cpu;
  for (let trip = 0; trip < TRIPS; trip++) {
    consumer.receive(trip);
    delays.push(Number(process.hrtime.bigint() - (calledAt[0] ?? 0n)));
    consumer.release(trip);
    producer.write(trip, bytes, 1, 0, 0);
  }
  clock.read();
  const answerCpuNs = (clock.cpu - before) / TRIPS;
  clock.close();
  return { delayNs: median(delays), answerCpuNs };
}

/** What it takes to wake a lane that sleeps on its channel. */
export async function measureWake(lanes: CostLanes, rounds: number): Promise<Pick<PipelineCosts, 'wake'>> {
  const accounts: WakeAccount[] = [];
  // The first compiles the code.
  for (let round = -1; round < rounds; round++) {
    const ring = (): RingMemory => allocateRing(plainShape(SLOTS, SLOTS * SLOT_BYTES));
    const task = { there: ring(), back: ring(), calledAt: new SharedArrayBuffer(8) };
    const [called, answered] = await Promise.all([
      lanes.ask<Pick<WakeAccount, 'wakingNs' | 'handingNs'>>(0, { kind: 'call', ...task } satisfies WakeTask),
      lanes.ask<Pick<WakeAccount, 'delayNs' | 'answerCpuNs'>>(1, { kind: 'answer', ...task } satisfies WakeTask),
    ]);
    if (round >= 0) accounts.push({ ...called, ...answered });
  }
  const waker = ({ wakingNs, handingNs }: WakeAccount): number => wakingNs - handingNs;
  return {
    wake: {
      wakerCpuNs: costOf(accounts.map(waker)),
      // Taking a chunk is about as much as handing it on.
      sleeperCpuNs: costOf(accounts.map(each => each.answerCpuNs - waker(each) - 2 * each.handingNs)),
      delayNs: costOf(accounts.map(({ delayNs }) => delayNs)),
    },
  };
}
