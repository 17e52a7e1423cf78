import { batch } from './batch.ts';
import { filter } from './filter.ts';
import { flatMap } from './flat-map.ts';
import { forEach } from './for-each.ts';
import { groupByLength } from './group-by-length.ts';
import { concat, merge, zip } from './joins.ts';
import type { OperatorKind } from './kind.ts';
import { map } from './map.ts';
import { paddedBatch } from './padded-batch.ts';
import { cache, prefetch, range, repeat } from './passing.ts';
import { shard } from './shard.ts';
import { shuffle } from './shuffle.ts';
import { skip } from './skip.ts';
import { take } from './take.ts';
import { unbatch } from './unbatch.ts';
import { window } from './window.ts';

/** What has code of its own in a loop. */
const KINDS = new Map<string, OperatorKind>(
  [
    batch,
    cache,
    concat,
    filter,
    flatMap,
    forEach,
    groupByLength,
    map,
    merge,
    paddedBatch,
    prefetch,
    range,
    repeat,
    shard,
    shuffle,
    skip,
    take,
    unbatch,
    window,
    zip,
  ].map(kind => [kind.kind, kind]),
);

/** Read outside the loop, and charged for it there. */
const SOURCE: OperatorKind = {
  kind: 'source',
  sequential: true,
  sameCount: true,
  element(code) {
    code.next(code.value);
  },
};

export const operatorKind = (kind: string): OperatorKind => KINDS.get(kind) ?? SOURCE;
