import type { Action, Reason } from '../model/plan.ts';
import { byteSize, count, plural } from './format.ts';

/** What a change does, as a diff would show it: what goes, what comes. */
export function actionWords(action: Action): { readonly less?: string; readonly more?: string } {
  switch (action.kind) {
    case 'parallelism':
      return {
        ...(action.from === undefined ? {} : { less: `parallelism ${action.from}` }),
        ...(action.to === undefined ? {} : { more: `parallelism ${action.to}` }),
      };
    case 'concurrency':
      return {
        ...(action.from === undefined ? {} : { less: `concurrency ${action.from}` }),
        more: `concurrency ${action.to}`,
      };
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

/** Why a change is made. */
export const REASON_WORDS: Readonly<Record<Reason, string>> = {
  binds: 'fills its thread; cores are free',
  'on-all-cores': 'as many as there are cores',
  'not-worth-a-thread': 'a thread costs more than it brings',
  rides: 'shares the threads before it',
  'too-many': 'more threads than work or cores',
  'in-order': 'sees all elements in order',
  overlap: 'can work while what follows does',
  'waits-vary': 'what follows waits for it at times',
  'same-every-pass': 'the same in every pass up to here',
  'waits-outside': 'more calls could wait at once',
  'one-reader': 'one thread reads too slowly',
  'small-operators': 'too small for channels of their own',
};
