import { cache } from './cache.ts';
import { concurrency } from './concurrency.ts';
import { fusion } from './fusion.ts';
import { inOrder } from './in-order.ts';
import { parallelism } from './parallelism.ts';
import type { Pass, PassName } from './pass.ts';
import { prefetch } from './prefetch.ts';
import { outer, sources } from './sources.ts';

/** In the order in which they run. Threads are planned again once it is known what a cache makes idle. */
export const ORDER: readonly { readonly name: PassName | 'in-order'; readonly pass: Pass }[] = [
  { name: 'sources', pass: sources },
  { name: 'concurrency', pass: concurrency },
  { name: 'parallelism', pass: parallelism },
  { name: 'outer', pass: outer },
  { name: 'prefetch', pass: prefetch },
  { name: 'cache', pass: cache },
  { name: 'parallelism', pass: parallelism },
  { name: 'fusion', pass: fusion },
  { name: 'in-order', pass: inOrder },
];
