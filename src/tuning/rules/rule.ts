import type { CachePlace } from '../../prediction/cost/cache-places.ts';
import type { SeenCalls } from '../../prediction/cost/model.ts';
import type { Draft } from '../draft.ts';
import type { Wait } from '../waits.ts';

/** What a rule may know and must heed. */
export interface Circumstances {
  /** Elements per second that are enough; undefined: as many as possible. */
  readonly target: number | undefined;
  /** Operators to be left as their author wrote them. */
  readonly keep: ReadonlySet<string>;
  /** Bytes for caches and buffers. */
  readonly memory: number;
  /** Where a cache on disk could go, and what it delivers there. */
  readonly disk: { readonly folder: string; readonly bytesPerSecond: number | undefined } | undefined;
  /** Where what leaves an operator can be kept: nothing random upstream, its size known, and gone through again. */
  readonly cachePlaces: readonly CachePlace[];
  /** One of them has to be taken, whatever it is reckoned to bring. */
  readonly mustCache: boolean;
  readonly threads: Threads;
  /** Calls at once of async functions, where trials have shown how many help. */
  readonly calls: Readonly<Record<string, SeenCalls>>;
  /** Places where one stage was seen to wait for another that was fast enough in the mean. */
  readonly waits: readonly Wait[];
  /** How often what leaves each operator is gone through. */
  passes(operator: string): number;
}

/**
 * `needed`: those that seem to bring anything. `sparing`: they have to bring more than is reckoned to be lost with them, for what they do to
 * each other is not known yet. `everywhere`: as many as there are cores, for whatever can be divided.
 */
export type Threads = 'needed' | 'sparing' | 'everywhere';

/** Those that can be left out. */
export const RULES = [
  'sources',
  'concurrency',
  'parallelism',
  'outer',
  'prefetch',
  'cache',
  'batches',
  'fusion',
] as const;
export type RuleName = (typeof RULES)[number];

/** Turns a draft into a better one, or leaves it. */
export type Rule = (draft: Draft, circumstances: Circumstances) => Draft;
