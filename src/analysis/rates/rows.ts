import type { End } from '../../model/end.ts';
import type { Kind } from '../../model/kind.ts';
import type { State } from '../../model/state.ts';
import type { Bytes, Cores, Elements, ElementsPerSecond, Ns, Share } from '../../model/units.ts';

/** The part of its lanes' wall time that an operator did not run, by reason. */
export type Waiting = Readonly<Record<Exclude<State, 'running'>, Share>>;

export interface OperatorRow {
  readonly id: string;
  readonly label: string;
  readonly kind: Kind;
  /** Lanes it was seen in. */
  readonly lanes: number;
  readonly elementsIn: Elements;
  readonly elementsOut: Elements;
  /** Elements that left it; for one from which none ever leaves, those that entered. */
  readonly elementsPerSecond: ElementsPerSecond;
  readonly cpuNs: Ns;
  /** Of the CPU of all operators and the engine's overhead. */
  readonly cpuShare: Share;
  /** Where `cpuNs` lies with 95 % confidence; of no width where it was measured and not estimated. */
  readonly cpuIntervalNs: readonly [low: Ns, high: Ns];
  readonly cores: Cores;
  /** Undefined where nothing counted them: inside a fused stage elements are not encoded. */
  readonly bytesOut: Bytes | undefined;
  /** Typed arrays in the elements that left it; undefined where there were none, or they were not recorded. */
  readonly arraysOut: number | undefined;
  /** Objects, lists and texts in them, likewise. */
  readonly objectsOut: number | undefined;
  /** Elements that left it and were seen to be such as cannot go to another thread; undefined where none was. */
  readonly stayingElements: number | undefined;
  /** Random numbers it drew from generators that the seed repeats, and from others; undefined where not recorded. */
  readonly keyedDraws: number | undefined;
  readonly ambientDraws: number | undefined;
  /** Duration of the slowest call of its async function; undefined where it has none, or calls were not recorded. */
  readonly slowestCall: Ns | undefined;
  readonly waiting: Waiting;
}

export interface LaneRow extends Readonly<Record<State, Ns>> {
  readonly name: string;
  /** The five states together. */
  readonly wall: Ns;
  /** Engine work around the user's functions; part of running. */
  readonly overhead: Ns;
  readonly storageAsked: Bytes;
  readonly storageRead: Bytes;
}

export interface ChannelRow {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  /** Chunks queued, averaged over time. */
  readonly meanOccupancy: number;
  /** Most chunks queued at once; undefined where not recorded. */
  readonly peakOccupancy: number | undefined;
  readonly slots: number;
  /** Part of the time it was full. */
  readonly saturatedShare: Share;
  /** Chunks of a single element, or of a single batch, that were too large to pass whole; undefined where there were none, or nobody counted. */
  readonly chunksInParts?: number | undefined;
  readonly largestInParts?: Bytes | undefined;
  /** Part of all bytes that were handed on. */
  readonly shareInParts?: Share | undefined;
}

/** Figures of the whole run; undefined where nothing recorded them. */
export interface RunTotals {
  /** What came to its end: left the pipeline for its consumer, or entered its sinks. */
  readonly elements: Elements;
  readonly elementsPerSecond: ElementsPerSecond;
  /** Where that was counted. */
  readonly ends: readonly End[];
  readonly bytes: Bytes;
  readonly laneCpu: Ns;
  readonly overheadCpu: Ns;
  readonly processCpu: Ns | undefined;
  /** CPU of the process that no lane accounts for: the runtime's compiler and collector, other threads. */
  readonly outsideLanesCpu: Ns | undefined;
  /** Of the process where it was recorded, else of the lanes. */
  readonly coresBusy: Cores;
  readonly peakResident: Bytes | undefined;
  readonly storageAsked: Bytes | undefined;
  readonly storageRead: Bytes | undefined;
  readonly storageWritten: Bytes | undefined;
  readonly hostCpuBusy: Ns | undefined;
  readonly hostMemoryLeast: Bytes | undefined;
  readonly diskRead: Bytes | undefined;
  readonly diskWritten: Bytes | undefined;
  readonly networkIn: Bytes | undefined;
  readonly networkOut: Bytes | undefined;
}
