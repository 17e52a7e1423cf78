import { batch } from './batch.ts';
import { filter } from './filter.ts';
import { flatMap } from './flat-map.ts';
import { forEach } from './for-each.ts';
import type { OperatorKind } from './kind.ts';
import { map } from './map.ts';
import { prefetch, repeat } from './passing.ts';
import { shuffle } from './shuffle.ts';
import { skip } from './skip.ts';
import { take } from './take.ts';

/** Every operator that can stand inside a stage; sources are not here, they open a stage. */
const KINDS = new Map<string, OperatorKind>(
  [batch, filter, flatMap, forEach, map, prefetch, repeat, shuffle, skip, take].map(kind => [kind.kind, kind]),
);

const SOURCE: OperatorKind = {
  kind: 'source',
  sequential: true,
  element(code) {
    code.next(code.value);
  },
};

export const operatorKind = (kind: string): OperatorKind => KINDS.get(kind) ?? SOURCE;
