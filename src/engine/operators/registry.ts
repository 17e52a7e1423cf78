import { badOption } from '../../model/option.ts';
import { batch } from './batch.ts';
import { definedKind } from './defined.ts';
import { filter } from './filter.ts';
import { flatMap } from './flat-map.ts';
import { forEach } from './for-each.ts';
import { groupBy } from './group-by.ts';
import { groupByLength } from './group-by-length.ts';
import { join } from './hash-join.ts';
import { concat, interleave, merge, zip } from './joins.ts';
import type { OperatorKind } from './kind.ts';
import { map } from './map.ts';
import { paddedBatch } from './padded-batch.ts';
import { cache, prefetch, range, repeat, transport } from './passing.ts';
import { shard } from './shard.ts';
import { shuffle } from './shuffle.ts';
import { skip } from './skip.ts';
import { stack } from './stack.ts';
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
    groupBy,
    groupByLength,
    interleave,
    join,
    map,
    merge,
    paddedBatch,
    prefetch,
    range,
    repeat,
    shard,
    shuffle,
    skip,
    stack,
    take,
    transport,
    unbatch,
    window,
    zip,
  ].map(kind => [kind.kind, kind]),
);

/** Read outside the loop, and charged for it there. */
const SOURCE: OperatorKind = {
  kind: 'source',
  sequential: true,
  elements: 'same',
  keepsValues: true,
  sameCount: true,
  element(code) {
    code.next(code.value);
  },
};

export const operatorKind = (kind: string): OperatorKind => KINDS.get(kind) ?? DEFINED.get(kind)?.code ?? SOURCE;

export type DefinedAs = 'source' | 'operator in order' | 'divisible operator' | 'sink' | 'divisible sink';

/** What user packages brought along, in this thread. */
const DEFINED = new Map<string, { readonly as: DefinedAs; readonly code: OperatorKind }>();

/** A kind from outside. The same one may come again: a module can be loaded twice. */
export function registerKind(kind: string, as: DefinedAs): void {
  const reserved = KINDS.has(kind) || kind === SOURCE.kind;
  const before = reserved ? 'built-in operator' : DEFINED.get(kind)?.as;
  if (before === as) return;
  if (before !== undefined) {
    throw badOption(`the kind '${kind}' is taken: ${before} and ${as} cannot share it`, 'give it another kind');
  }
  const code = as === 'source' ? SOURCE : definedKind(kind, as.startsWith('divisible'));
  DEFINED.set(kind, { as, code: { ...code, sink: as.endsWith('sink') } });
}
