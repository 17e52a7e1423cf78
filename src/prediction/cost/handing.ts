import type { Cost, PipelineCosts, TransferCosts } from '../../model/pipeline-costs.ts';
import { NS_PER_SECOND } from '../../model/units.ts';
import { type Amount, type AmountEnd, exactly, NOTHING, scaled } from './amount.ts';

/** What is handed on over a channel, per counted element. */
export interface Traffic {
  /** Elements. */
  readonly visits: number;
  readonly bytes: number;
  /** Typed arrays among them with memory of their own. */
  readonly arrays: number;
  /** Objects, lists and texts among them. */
  readonly objects: number;
  readonly chunks: number;
}

/** For a reader to which typed arrays are lent: their bytes are not copied out. Texts and objects are read as ever. */
export const asLent = (traffic: Traffic): Traffic => (traffic.arrays > 0 ? { ...traffic, bytes: 0 } : traffic);

/** Kind of content that a chunk's residual goes by. */
type Content = keyof TransferCosts['residuals'];

/** CPU seconds of one side of a channel: a sum of terms. */
export interface SideCosts {
  readonly chunk: number;
  readonly element: number;
  readonly byte: number;
  readonly array: number;
  readonly object: number;
  /** Residual of the sum, measured / modelled, by content. */
  readonly off: Readonly<Record<Content, Amount>>;
  /** Seconds per element that were never measured, in addition: 0, or anything where the machine was not measured. */
  readonly unknown: Amount;
}

/** Costs of handing elements on, as measured on the machine. */
export interface HandingCosts {
  readonly send: SideCosts;
  readonly receive: SideCosts;
  /** CPU of the runtime's own threads for an array that was handed on, s. */
  readonly collectArray: Amount;
  /** CPU of waking a lane that sleeps on its channel, s: of who wakes it, and its own. Lanes that are busy all the time are never woken. */
  readonly waker: Amount;
  readonly sleeper: Amount;
  /** Time until it goes on, s. */
  readonly delay: number;
}

const amountOfCost = ({ median, low, high }: Cost): Amount => ({ estimate: median, low, high });

const seconds = (cost: Cost): Amount => scaled(amountOfCost(cost), 1 / NS_PER_SECOND);

const sideOf = (costs: TransferCosts): SideCosts => ({
  chunk: seconds(costs.cpuNsPerChunk).estimate,
  element: seconds(costs.cpuNsPerElement).estimate,
  byte: seconds(costs.cpuNsPerByte).estimate,
  array: seconds(costs.cpuNsPerArray).estimate,
  object: seconds(costs.cpuNsPerObject).estimate,
  off: {
    numbers: amountOfCost(costs.residuals.numbers),
    objects: amountOfCost(costs.residuals.objects),
    arrays: amountOfCost(costs.residuals.arrays),
  },
  unknown: NOTHING,
});

export const handingCosts = ({ send, receive, collectCpuNsPerArray, wake }: PipelineCosts): HandingCosts => ({
  send: sideOf(send),
  receive: sideOf(receive),
  collectArray: seconds(collectCpuNsPerArray),
  waker: seconds(wake.wakerCpuNs),
  sleeper: seconds(wake.sleeperCpuNs),
  delay: seconds(wake.delayNs).estimate,
});

/** CPU seconds of one side of a channel for its traffic. */
export const sideCost = (
  side: SideCosts,
  { visits, bytes, arrays, objects, chunks }: Traffic,
  end: AmountEnd,
): number => {
  const content: Content = arrays > 0 ? 'arrays' : objects > 0 ? 'objects' : 'numbers';
  const sum =
    chunks * side.chunk + visits * side.element + bytes * side.byte + arrays * side.array + objects * side.object;
  return sum * side.off[content][end] + visits * side.unknown[end];
};

/**
 * Costs of handing on where nobody measured the machine: an element takes what it took in the recording, where that had channels, and
 * it may take nothing or any time.
 */
export function unmeasuredHanding(perElement: number): HandingCosts {
  const free = exactly(0);
  const any = { estimate: 1, low: 0, high: 1 };
  const off = { numbers: any, objects: any, arrays: any };
  const unknown = { estimate: 0, low: 0, high: Number.MAX_VALUE };
  const side = { chunk: 0, element: perElement, byte: 0, array: 0, object: 0, off, unknown };
  return { send: side, receive: side, collectArray: free, waker: free, sleeper: free, delay: 0 };
}

/** The same costs, were they known to be what they are estimated to be. */
export function certainly(costs: HandingCosts): HandingCosts {
  const known = ({ estimate }: Amount): Amount => exactly(estimate);
  const side = (of: SideCosts): SideCosts => ({
    ...of,
    off: { numbers: known(of.off.numbers), objects: known(of.off.objects), arrays: known(of.off.arrays) },
    unknown: known(of.unknown),
  });
  return {
    send: side(costs.send),
    receive: side(costs.receive),
    collectArray: known(costs.collectArray),
    waker: known(costs.waker),
    sleeper: known(costs.sleeper),
    delay: 0,
  };
}
