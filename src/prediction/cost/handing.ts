import type { Cost, PipelineCosts, TransferCosts } from '../../model/pipeline-costs.ts';
import { NS_PER_SECOND } from '../../model/units.ts';
import { type Amount, type AmountEnd, exactly } from './amount.ts';

/** What is handed on over a channel, per counted element. */
export interface Traffic {
  /** Elements. */
  readonly visits: number;
  readonly bytes: number;
  /** Typed arrays among them with memory of their own. */
  readonly arrays: number;
  readonly chunks: number;
}

/** CPU seconds of one side of a channel. */
export interface SideCosts {
  readonly chunk: Amount;
  readonly element: Amount;
  readonly byte: Amount;
  readonly array: Amount;
}

/** Costs of handing elements on, as measured on the machine. */
export interface HandingCosts {
  readonly send: SideCosts;
  readonly receive: SideCosts;
  /** CPU of the runtime's own threads for an array that was handed on, s. */
  readonly collectArray: Amount;
  /** CPU of waking a lane that sleeps on its channel, both sides, s. Lanes that are busy all the time are never woken: it is in the band alone. */
  readonly wake: number;
}

const seconds = ({ median, low, high }: Cost): Amount => ({
  estimate: median / NS_PER_SECOND,
  low: low / NS_PER_SECOND,
  high: high / NS_PER_SECOND,
});

const sideOf = ({ cpuNsPerChunk, cpuNsPerElement, cpuNsPerByte, cpuNsPerArray }: TransferCosts): SideCosts => ({
  chunk: seconds(cpuNsPerChunk),
  element: seconds(cpuNsPerElement),
  byte: seconds(cpuNsPerByte),
  array: seconds(cpuNsPerArray),
});

export const handingCosts = ({ send, receive, collectCpuNsPerArray, wake }: PipelineCosts): HandingCosts => ({
  send: sideOf(send),
  receive: sideOf(receive),
  collectArray: seconds(collectCpuNsPerArray),
  wake: seconds(wake.wakerCpuNs).high + seconds(wake.sleeperCpuNs).high,
});

/** CPU seconds of one side of a channel for its traffic. */
export const sideCost = (
  { chunk, element, byte, array }: SideCosts,
  { visits, bytes, arrays, chunks }: Traffic,
  end: AmountEnd,
): number => chunks * chunk[end] + visits * element[end] + bytes * byte[end] + arrays * array[end];

/**
 * Costs of handing on where nobody measured the machine: an element takes what it took in the recording, where that had channels, and
 * it may take nothing or any time.
 */
export function unmeasuredHanding(perElement: number): HandingCosts {
  const free = exactly(0);
  const element = { estimate: perElement, low: 0, high: Number.MAX_VALUE };
  const side = { chunk: free, element, byte: free, array: free };
  return { send: side, receive: side, collectArray: free, wake: 0 };
}
