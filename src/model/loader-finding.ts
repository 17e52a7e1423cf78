import type { FindingShape } from './finding.ts';
import type { Bytes, Cores, ElementsPerSecond, Ns, Share } from './units.ts';

/** Arguments of a DataLoader that are to be different, by torch's names. */
export interface LoaderChanges {
  readonly num_workers?: number;
  readonly prefetch_factor?: number;
  readonly pin_memory?: boolean;
  readonly persistent_workers?: boolean;
  /** Changes the order of batches, so it is only ever advised. */
  readonly in_order?: boolean;
}

/** What every verdict on a loader rests on. */
export interface WaitFigures {
  readonly rate: ElementsPerSecond;
  /** Part of the consumer's time that it waits. */
  readonly waiting: Share;
  /** The most to be gained: what is waited for it, of the time of the whole program. */
  readonly atStake: Share;
  readonly workers: number;
  readonly preparation: Ns;
  readonly step: Ns;
  /** From prepared to in the consumer's hands. */
  readonly delay: Ns;
}

/** What is wrong with a DataLoader, or fine with it; each kind has figures of its own, which are its evidence. */
export interface LoaderFindingFigures {
  /** The consumer waits for batches that are not ready. */
  readonly 'preparation-bound': WaitFigures & {
    readonly coresBusy: Cores;
    readonly coresUsable: Cores;
    /** The operator with most of the work, and its part. */
    readonly heaviest: string | undefined;
    readonly heaviestShare: Share;
  };
  /** Later batches are ready, the one that is next is not. */
  readonly 'order-bound': WaitFigures & { readonly outOfOrder: Share };
  /** Batches are ready, but sending, receiving or pinning them takes too long. */
  readonly 'transfer-bound': WaitFigures & { readonly pinning: Share; readonly perBatch: Ns };
  /** What comes before the first batch of each pass takes longest: mostly the start of workers. */
  readonly 'start-bound': WaitFigures & { readonly start: Ns; readonly ofPass: Share };
  /**
   * The loader keeps up; `nearly` where the consumer still waits a little, `mostly` where it waits for some time, and works for
   * longer.
   */
  readonly 'consumer-bound': WaitFigures & { readonly nearly: boolean; readonly mostly: boolean };
  readonly 'few-batches': { readonly batches: number };
  /** Preparing threads queue for a core. */
  readonly 'cores-short': {
    /** Part of the time they want one. */
    readonly queued: Share;
    /** Used by other programs. */
    /** Cores that other programs used; undefined where nobody counted. */
    readonly others: Cores | undefined;
    readonly coresUsable: Cores;
  };
  /** Threads of a step wait for each other, and workers on their cores hold them up. */
  readonly 'steps-crowded': { readonly threads: number; readonly coresUsable: Cores };
  /** Workers are started anew for every pass, and that takes a part of it. */
  readonly 'worker-start': { readonly start: Ns; readonly ofPass: Share };
  /** Few elements take far longer than the others. */
  readonly 'slow-elements': { readonly slowest: Ns; readonly typical: Ns; readonly names: readonly string[] };
  /** More workers would be faster, and would not fit. */
  readonly 'memory-short': { readonly what: 'memory' | 'shared-memory'; readonly wanted: Bytes };
  /** Memory that is not given back, of the main process or of a loader's workers together. */
  readonly 'memory-growth': {
    readonly where: 'main' | 'workers';
    readonly processes: number;
    readonly perHour: Bytes;
    /** With the bounds of its 95 % interval; undefined where no batch passed meanwhile. */
    readonly perHundredBatches: Bytes | undefined;
    readonly least: Bytes | undefined;
    readonly most: Bytes | undefined;
    /** When the machine has no more, if it goes on so. */
    readonly fullIn: Ns | undefined;
    /** It comes from pages that forked workers shared with the main process. */
    readonly isUnshared: boolean;
  };
  /** Batches go to a device from memory that is not pinned. */
  readonly unpinned: { readonly accelerator: string; readonly batch: Bytes };
  /** What limits it is not the same in all passes. */
  readonly 'passes-differ': { readonly first: string; readonly later: string };
  /** Work that gives the same result in every pass. */
  readonly repeated: { readonly until: string; readonly share: Share; readonly elements: number };
}

export type LoaderFindingKind = keyof LoaderFindingFigures;

export type LoaderFix =
  | { readonly type: 'arguments'; readonly loader: string; readonly changes: LoaderChanges }
  | { readonly type: 'record'; readonly batches: number }
  | { readonly type: 'advice' };

/** A reason to take it with a grain of salt. */
export type LoaderDoubt = 'gain-untold' | 'busy-machine' | 'guessed' | 'few-batches';

export type LoaderFindingOf<K extends LoaderFindingKind> = FindingShape<
  K,
  LoaderFindingFigures[K],
  LoaderFix,
  LoaderDoubt
>;

export type LoaderFinding = { [K in LoaderFindingKind]: LoaderFindingOf<K> }[LoaderFindingKind];
