import { Random } from '../../math/random.ts';
import { crowded } from './machine.ts';
import type { LoaderProfile, Step } from './profile.ts';
import type { Draw } from './simulate.ts';

/** Passes that are simulated: each with its own draw from the recording, and its own guess of what it does not say. */
export const REPLICATIONS = 8;
/**
 * A recording is cut into stretches, because batches that follow each other are alike: a machine is faster for a while, then
 * slower. A pass draws its times from half as many stretches as there are, so that passes differ as runs of such a length do;
 * all passes together draw from each stretch equally often.
 */
const STRETCHES = 6;
const DRAWN = 3;
const BATCHES_PER_STRETCH = 4;

export interface DrawOptions {
  /** Size of a batch, in parts of a recorded one. */
  readonly scale: number;
  /** Another time of a step, ns. */
  readonly step: number | undefined;
  /** What the recording does not say, from the best that it allows, 0, to the worst, 1. */
  readonly doubt: number;
  readonly isWorker: boolean;
  /** What recorded CPU is to be multiplied with to be that of a thread alone. */
  readonly alone: number;
}

/** Of a guess: from a third of it to three times as much. */
export const guessed = (doubt: number): number => 10 ** (doubt - 0.5);

/** Threads of a pool stay awake after each piece of work, so that most of their CPU is none: the less likely, the more it is taken for. */
const pooledPart = ({ pool }: LoaderProfile, doubt: number): number =>
  pool === undefined ? doubt ** 3 : pool.least + doubt * (pool.most - pool.least);

/** Times of the `turn`-th pass, drawn with replacement from stretches of the recorded ones (a block bootstrap). */
export function drawFrom(profile: LoaderProfile, turn: number, options: DrawOptions): Draw {
  const random = new Random();
  const count = Math.max(1, Math.min(STRETCHES, Math.floor(profile.preparing.length / BATCHES_PER_STRETCH)));
  const stretches = deal(random, count).slice(turn * DRAWN, (turn + 1) * DRAWN);
  random.rekey(turn, 1, 0, 0, 0);
  const sample = <T>(values: readonly T[]): (() => T) => {
    const drawn = stretches.flatMap(stretch => stretchOf(values, stretch, count));
    return () => drawn[random.int(drawn.length)] as T;
  };
  const { scale, step: fixed, doubt, isWorker, alone } = options;
  const preparing = sample(profile.preparing);
  const step = sample(profile.steps);
  const { handOver } = profile;
  const transfer = sample(handOver.transfer);
  const receive = sample(handOver.receive);
  const asleep = sample(handOver.asleep);
  const held = sample(handOver.held.receive);
  const pin = sample(handOver.pin.length === 0 ? [0] : handOver.pin);
  // Memory that processes share is there with workers alone.
  const sharing = (Number(isWorker) - Number(profile.setting.workers > 0)) * sharingDoubt(profile, doubt, isWorker);
  const handing = handOver.isGuessed ? guessed(doubt) : 1;
  return {
    preparing: () => {
      let [cpu, asleep] = [0, 0];
      for (let left = scale; left > 0; left--) {
        const part = Math.min(1, left);
        const one = preparing();
        cpu += part * (one.cpu + (isWorker ? one.pooled * pooledPart(profile, doubt) : 0)) * alone;
        asleep += part * one.asleep;
      }
      return { cpu: Math.max(0, cpu + sharing * scale * handOver.writtenShared), asleep, pooled: 0 };
    },
    step: () => {
      const one = stepOf(step(), scale, fixed, doubt);
      const shared = fixed === undefined ? sharing * scale * handOver.readShared : 0;
      return { ...one, cpu: Math.max(0, (fixed === undefined ? one.cpu * alone : one.cpu) + shared) };
    },
    transfer: () => transfer() * Math.max(1, scale) * handing,
    receive: () => receive() * handing,
    asleep,
    held: () => held() * (handOver.held.isGuessed ? doubt : 1),
    pin: () => pin() * scale,
  };
}

/** A guess of what shared memory costs may be nothing, or twice as much: more of it is worse where it is new, better where it goes. */
function sharingDoubt({ handOver }: LoaderProfile, doubt: number, isWorker: boolean): number {
  if (!handOver.isSharingGuessed) return 1;
  return 2 * (isWorker ? doubt : 1 - doubt);
}

/** Stretches in a random order, each as often as the others. */
function deal(random: Random, count: number): number[] {
  random.rekey(0, 0, 0, 0, 0);
  const deck = Array.from({ length: REPLICATIONS * DRAWN }, (_, at) => at % count);
  for (let at = deck.length - 1; at > 0; at--) {
    const other = random.int(at + 1);
    [deck[at], deck[other]] = [deck[other] as number, deck[at] as number];
  }
  return deck;
}

/** Where there are fewer values than stretches, all of them. */
function stretchOf<T>(values: readonly T[], stretch: number, count: number): readonly T[] {
  const part = values.slice(
    Math.floor((stretch * values.length) / count),
    Math.floor(((stretch + 1) * values.length) / count),
  );
  return part.length === 0 ? values : part;
}

/** A step of another length keeps the part of it that is CPU. */
function stepOf(step: Step, scale: number, fixed: number | undefined, doubt: number): Step {
  const alone = step.cpu / crowded(step.crowding, doubt);
  const factor = fixed === undefined ? scale : fixed / Math.max(1, step.device, alone + step.asleep);
  return {
    cpu: alone * factor,
    crowding: 1,
    threads: step.threads,
    asleep: step.asleep * factor,
    device: step.device * factor,
  };
}
