import type { Bytes, BytesPerSecond, Cores, ElementsPerSecond, Ns, Share } from './units.ts';

/**
 * What is wrong with a run, or fine with it, as data: how it is worded is the report's business. Every kind has figures of
 * its own, which are its evidence.
 */
export interface FindingFigures {
  /** The pipeline keeps up with whoever takes its elements. */
  readonly 'consumer-bound': {
    readonly wait: Ns;
    readonly step: Ns;
    readonly busy: Share;
    /** What the pipeline could deliver, were the consumer faster. */
    readonly possible: ElementsPerSecond;
  };
  /** The work of an operator fills what it is given: its lanes, or all cores. */
  readonly 'cpu-bound': {
    readonly lanes: number;
    readonly busy: Share;
    /** The operator's part of all CPU time. */
    readonly cpuShare: Share;
    readonly coresBusy: Cores;
    readonly coresUsable: Cores;
  };
  /** An operator that must see all elements in order fills the one lane it can have. */
  readonly 'sequential-operator': { readonly busy: Share; readonly most: ElementsPerSecond };
  /** Lanes sleep until calls of an operator's async function are answered. */
  readonly 'waiting-on-calls': {
    readonly lanes: number;
    /** Calls that may be under way at once in each lane. */
    readonly concurrency: number;
    /** Calls under way in the mean, in all lanes together. */
    readonly underWay: number;
    /** What a call takes, in the mean and at most. */
    readonly callTime: Ns;
    readonly slowestCall: Ns;
    readonly callsPerSecond: number;
    /** Calls that failed or were given up. */
    readonly failed: Share;
    readonly blocked: Share;
  };
  /** Lanes sleep outside the dataflow, and the time does not go by the bytes. */
  readonly 'io-latency': {
    readonly lanes: number;
    readonly blocked: Share;
    /** Time asleep per element that the operator handles. */
    readonly perElement: Ns;
    readonly bytesPerSecond: BytesPerSecond;
    readonly medium: 'storage' | 'outside';
  };
  /** Storage delivers all it can. */
  readonly 'io-bandwidth': {
    readonly lanes: number;
    readonly blocked: Share;
    readonly bytesPerSecond: BytesPerSecond;
    /** What it can deliver, and how that is known. */
    readonly limit: BytesPerSecond;
    readonly known: 'given' | 'fitted';
  };
  /** Storage could deliver more to more readers. */
  readonly 'io-parallelism': {
    readonly lanes: number;
    readonly blocked: Share;
    readonly bytesPerSecond: BytesPerSecond;
    /** What more readers would get; undefined where nobody measured it. */
    readonly possible: BytesPerSecond | undefined;
  };
  /** A channel is full although whoever reads from it is not busy: what carries it is the limit. */
  readonly 'channel-bound': {
    readonly channel: string;
    readonly from: string;
    readonly to: string;
    readonly full: Share;
  };
  readonly 'cache-too-large': {
    readonly bytes: Bytes;
    readonly bytesLow: Bytes;
    readonly bytesHigh: Bytes;
    readonly memory: Bytes;
  };
  /** Nothing came out until a shuffle's buffer was full. */
  readonly 'shuffle-warm-up': { readonly firstOutput: Ns; readonly ofRun: Share; readonly buffer: number };
  /** Handing elements on costs more than the work on them. */
  readonly 'small-operators': { readonly overhead: Share; readonly perElement: Ns };
  /** The process uses CPU that none of its lanes does. */
  readonly 'own-threads': { readonly outside: Cores; readonly ofProcess: Share; readonly coresUsable: Cores };
  /** Of several lanes one does most of the work. */
  readonly 'skewed-lanes': { readonly lanes: number; readonly busiest: Share; readonly busy: Share };
  /** Lanes want more cores than there are. */
  readonly 'oversubscribed-cores': {
    readonly lanes: number;
    readonly runnable: Share;
    readonly coresUsable: Cores;
    readonly coresBusy: Cores;
    /** Used by other programs. */
    readonly others: Cores;
  };
  /** All usable cores are busy, and the machine has more than may be used. */
  readonly 'container-quota': {
    readonly coresUsable: Cores;
    readonly coresPresent: Cores;
    readonly coresBusy: Cores;
    readonly limit: 'affinity' | 'cgroup-v1' | 'cgroup-v2';
  };
  /** A function does not return. */
  readonly 'stuck-operator': {
    /** Number of the element, or of the first of `elements` among which it is; undefined where a source gives no more. */
    readonly element: number | undefined;
    readonly elements: number;
    /** When it began, and how long it went on. */
    readonly since: Ns;
    readonly duration: Ns;
  };
  readonly 'short-recording': {
    readonly reason: 'empty' | 'short' | 'few-elements' | 'noisy' | 'incomplete';
    readonly duration: Ns;
    readonly elements: number;
    /** Half the width of the rate's interval, in parts of the rate. */
    readonly error: Share;
  };
  /** No place stands out. */
  readonly unclear: { readonly nearest: string; readonly busy: Share };
}

export type FindingKind = keyof FindingFigures;

/** Something is used up, or nothing is and the program itself leaves it unused. */
export type Cause =
  | { readonly type: 'hardware'; readonly resource: 'cpu' | 'storage' | 'network' | 'memory'; readonly full: Share }
  | { readonly type: 'software' }
  /** The pipeline does not hold anybody up. */
  | { readonly type: 'none' };

/** What to do about it. `set` can be pasted into a command line; the others are put into words by the kind. */
export type Fix =
  | {
      readonly type: 'set';
      readonly operator: string;
      readonly setting: 'parallelism' | 'concurrency';
      readonly value: number;
    }
  | { readonly type: 'record'; readonly seconds: number }
  | { readonly type: 'advice' };

export interface Gain {
  /** The rate it would lead to at best. */
  readonly rate: ElementsPerSecond;
  /** In parts of the present rate. */
  readonly factor: number;
  /** The ends of that rate's interval. Where the upper one is more than three times the lower, no gain is told. */
  readonly low: ElementsPerSecond;
  readonly high: ElementsPerSecond;
  /** Interval of the factor, where the present rate is an estimate too: another run of the program differs as well. */
  readonly factorBand?: { readonly low: number; readonly high: number };
}

/** A reason to take it with a grain of salt. */
export type Doubt = 'gain-untold' | 'service-unseen' | 'one-reader' | 'same-sizes' | 'two-narrow-places' | 'changes';

/** The shape of every finding, of a pipeline or of a program's loaders. */
export interface FindingShape<K, Figures, Fix, Doubt> {
  readonly kind: K;
  /** It is the verdict, or could be one; the others are worth knowing beside it. */
  readonly limits: boolean;
  readonly cause: Cause;
  /** What it is about, the main one first: ids of operators; of a program, the loader and then operators. */
  readonly operators: readonly string[];
  readonly figures: Figures;
  readonly fix: Fix;
  readonly gain: Gain | undefined;
  readonly doubts: readonly Doubt[];
}

export type FindingOf<K extends FindingKind> = FindingShape<K, FindingFigures[K], Fix, Doubt>;

export type Finding = { [K in FindingKind]: FindingOf<K> }[FindingKind];
