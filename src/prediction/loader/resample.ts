import { Random } from '../../math/random.ts';
import { BLOCKS, blockCount, blockOf } from './blocks.ts';
import { crowded } from './machine.ts';
import type { LoaderProfile, Step } from './profile.ts';
import type { Draw } from './simulate.ts';

/**
 * Number of simulated passes, each with its own draw from the recording and its own value of what was not recorded. Judged: their range
 * is the band.
 */
export const REPLICATIONS = 8;
/**
 * Blocks that a pass draws its times from: half of them, so that passes differ as runs of such a length do; all passes together draw
 * from each block equally often.
 */
const BLOCKS_PER_PASS = BLOCKS / 2;

export interface DrawOptions {
  /** Elements of a batch / elements of a recorded one. */
  readonly scale: number;
  /** Duration of a step in place of the recorded ones, ns. */
  readonly step: number | undefined;
  /** Value of what was not recorded, within its range: from the best, 0, to the worst, 1. */
  readonly doubt: number;
  readonly isWorker: boolean;
  /** CPU time of a thread alone / recorded CPU time. */
  readonly alone: number;
}

/** Factor on a guessed time, at most, and the divisor at least. Judged: machines of one decade differ by less. */
const MOST_OFF = 3;

/** Factor on a guessed time: from a third to three times as much. */
export const guessed = (doubt: number): number => MOST_OFF ** (2 * doubt - 1);

/** Useful work / CPU time of a pool, whose threads spin between pieces of work: anything from none to all where it was not measured. */
function pooledPart({ pool }: LoaderProfile, doubt: number): number {
  const { least, most } = pool ?? { least: 0, most: 1 };
  return least + doubt * (most - least);
}

/** Times of the `turn`-th pass, drawn with replacement from blocks of the recorded ones (a block bootstrap). */
export function drawFrom(profile: LoaderProfile, turn: number, options: DrawOptions): Draw {
  const random = new Random();
  const count = blockCount(profile.preparing.length);
  const blocks = deal(random, count).slice(turn * BLOCKS_PER_PASS, (turn + 1) * BLOCKS_PER_PASS);
  random.rekey(turn, 1, 0, 0, 0);
  const sample = <T>(values: readonly T[]): (() => T) => {
    const drawn = blocks.flatMap(block => blockOf(values, block, count));
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
  // Only workers use shared memory: its cost comes or goes where the recording and the forecast differ in that.
  const sharing = (Number(isWorker) - Number(profile.setting.workers > 0)) * sharingFactor(profile, doubt, isWorker);
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

/** Factor on a guessed cost of shared memory, from 0 to 2: a high cost is the worst case where it is added, the best where it is saved. */
function sharingFactor({ handOver }: LoaderProfile, doubt: number, isWorker: boolean): number {
  if (!handOver.isSharingGuessed) return 1;
  return 2 * (isWorker ? doubt : 1 - doubt);
}

/** Numbers of blocks in a random order, each as often as the others. */
function deal(random: Random, count: number): number[] {
  random.rekey(0, 0, 0, 0, 0);
  const deck = Array.from({ length: REPLICATIONS * BLOCKS_PER_PASS }, (_, at) => at % count);
  for (let at = deck.length - 1; at > 0; at--) {
    const other = random.int(at + 1);
    [deck[at], deck[other]] = [deck[other] as number, deck[at] as number];
  }
  return deck;
}

/** A step of another duration keeps its ratio of CPU time to time asleep. */
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
