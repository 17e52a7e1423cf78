import type { Action, Reason } from '../model/plan.ts';
import { byteSize, count, plural } from './format.ts';

/** A change as a diff shows it: the setting removed, the setting added. */
export function actionWords(action: Action): {
  readonly less?: string | undefined;
  readonly more?: string | undefined;
} {
  switch (action.kind) {
    case 'parallelism':
    case 'concurrency':
      return { less: setting(action.kind, action.from), more: setting(action.kind, action.to) };
    case 'prefetch':
      return { more: `prefetch ${count(action.elements)}` };
    case 'cache':
      return {
        more: `cache ${action.folder === undefined ? 'in memory' : `in ${action.folder}`}, up to ${byteSize(action.limit)}`,
      };
    case 'divide':
      return { more: `read in parts by ${plural(action.parallelism, 'thread')}` };
    case 'remove':
      return { less: 'all of it' };
  }
}

const setting = (name: string, value: number | undefined): string | undefined =>
  value === undefined ? undefined : `${name} ${value}`;

/** Why a change is made. */
export const REASON_WORDS: Readonly<Record<Reason, string>> = {
  binds: 'its thread is saturated; cores are free',
  'on-all-cores': 'as many as there are cores',
  'not-worth-a-thread': 'a thread costs more than it gains',
  rides: 'runs in the threads of its input',
  'too-many': 'more threads than work or cores',
  'in-order': 'sees all elements in order',
  overlap: 'overlaps with the next stage',
  'waits-vary': 'the next stage waits for it at times',
  'same-every-pass': 'same output in every pass up to here',
  'waits-outside': 'more calls can be in flight',
  'one-reader': 'one thread reads too slowly',
  'small-operators': 'channel overhead exceeds its work',
};
