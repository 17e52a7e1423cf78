import type { Operator } from '../../model/graph.ts';
import type { Amount } from './amount.ts';
import type { HandingCosts, Traffic } from './handing.ts';
import type { Pace } from './pace.ts';

/** An operator with its demands, all per counted element. What leaves it is its traffic, wherever that goes. */
export interface CostOperator extends Operator, Traffic {
  /** CPU seconds, without those of handing elements to other threads. */
  readonly cpu: Amount;
  /** CPU seconds by which its recorded stage took more for handing on than costs of the machine explain; on the stage's last operator. */
  readonly overhead: Amount;
  /** Seconds asleep outside the dataflow. */
  readonly blocked: number;
  /** It sees all elements in order and sleeps for something else than storage, a queue or a timer: no lane makes up for that. */
  readonly waitsInOrder: boolean;
  /** Seconds of calls of its async function, all of them one after the other. */
  readonly calling: number;
  /** Bytes it asks from storage. */
  readonly asked: number;
  /** What leaves it cannot go to another thread, nor into a cache. */
  readonly stays: boolean;
  /** It need not run any more: what it makes is kept. */
  readonly idle: boolean;
}

/** A stage as recorded. */
export interface RecordedStage {
  readonly id: string;
  readonly operators: readonly string[];
  readonly lanes: number;
  /** CPU seconds per counted element for handing elements on. */
  readonly overhead: number;
}

/** So many calls at once in each lane, and what the lanes then slept for the operator per counted element, s; undefined: not tried yet. */
export interface SeenCalls {
  readonly concurrency: number;
  readonly blocked?: number;
}

/** Costs behind a cache that a trial had: its elements come out of memory that no processor has touched for a while. */
export interface BehindCache {
  /** CPU seconds by operator, the cache itself among them, at the load of the model. */
  readonly cpu: Readonly<Record<string, Amount>>;
  readonly outside: Amount;
}

/** Why a rate cannot be told. */
export type Doubt =
  /** The recording is too short or too uneven for an interval that says anything. */
  | { readonly kind: 'short' }
  /** Other programs had a good part of the cores, or the recorded rate is far from what its own demands lead to. */
  | { readonly kind: 'disturbed' }
  /** What handing on takes here varies too much with kinds of elements and sizes of chunks: only a trial tells. */
  | { readonly kind: 'handing-varies' }
  /** Nobody measured what handing on costs on this machine. */
  | { readonly kind: 'costs-unmeasured' }
  /** No element passed the operator in the steady part. */
  | { readonly kind: 'never-busy'; readonly operator: string }
  /** The recording ended, or its steady part, before the cache was full: later passes were not seen. */
  | { readonly kind: 'cache-unfilled'; readonly operator: string };

/** A recorded pipeline as demands on resources: plain data, from which every rate is evaluated. */
export interface CostModel {
  /** Upstream first. */
  readonly operators: readonly CostOperator[];
  /** As recorded. */
  readonly stages: readonly RecordedStage[];
  readonly cores: number;
  /** Cores, storage, network and consumer are those of the recording. */
  readonly asRecorded: boolean;
  /** Cores in use in the recording. */
  readonly load: number;
  /** CPU seconds per counted element outside all stages: main thread, garbage collector, compiler, threads of user functions. */
  readonly outside: Amount;
  /** The part of it that no lane accounts for. */
  readonly unaccounted: number;
  /** Bytes per second of storage, where known. */
  readonly storage?: number;
  /** Bytes per second of the network, where given, and bytes received per counted element. */
  readonly network?: { readonly bytesPerSecond: number; readonly received: number };
  /** Seconds of the consumer's own work per counted element, without receiving, and elements of its own among those counted. */
  readonly consumer?: { readonly step: Amount; readonly visits: number };
  readonly handing: HandingCosts;
  readonly paces: readonly Pace[];
  /** Half-width of the interval that holds the rate of one more fifth of the recording / its mean. */
  readonly variation: number;
  /** Half-width of the interval of all CPU per counted element / its estimate. */
  readonly noise: number;
  /** As recorded, counted elements per second; its confidence is that of every interval made from the model. */
  readonly measured: Amount & { readonly confidence: number };
  /** Measured / evaluated rate of the recorded arrangement. */
  readonly residual: Amount;
  /** Growth of an operator's CPU per core more in use, as trials have shown it. */
  readonly growth: Readonly<Record<string, Amount>>;
  /** By the operator whose elements a cache keeps. */
  readonly kept: Readonly<Record<string, BehindCache>>;
  readonly calls: Readonly<Record<string, SeenCalls>>;
  readonly doubts: readonly Doubt[];
}
