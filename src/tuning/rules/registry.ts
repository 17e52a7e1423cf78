import { batches } from './batches.ts';
import { cache } from './cache.ts';
import { concurrency } from './concurrency.ts';
import { fusion } from './fusion.ts';
import { inOrder } from './in-order.ts';
import { parallelism } from './parallelism.ts';
import { prefetch } from './prefetch.ts';
import type { Rule, RuleName } from './rule.ts';
import { outer, sources } from './sources.ts';

/** In the order in which they run. Threads are planned again once it is known what a cache makes idle and where batches are made. */
export const ORDER: readonly { readonly name: RuleName | 'in-order'; readonly rule: Rule }[] = [
  { name: 'sources', rule: sources },
  { name: 'concurrency', rule: concurrency },
  { name: 'parallelism', rule: parallelism },
  { name: 'outer', rule: outer },
  { name: 'prefetch', rule: prefetch },
  { name: 'cache', rule: cache },
  { name: 'batches', rule: batches },
  { name: 'parallelism', rule: parallelism },
  { name: 'fusion', rule: fusion },
  { name: 'in-order', rule: inOrder },
];
