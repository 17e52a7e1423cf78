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
      return { more: `prefetch ${count(action.elements)} behind it` };
    case 'cache':
      return {
        more: `cache behind it, ${action.folder === undefined ? 'in memory' : `in ${action.folder}`}, up to ${byteSize(action.limit)}`,
      };
    case 'divide':
      return { more: `read in parts by ${plural(action.parallelism, 'thread')}` };
    case 'remove':
      return { less: 'all of it' };
  }
}

/** Why a change is made. */
export const REASON_WORDS: Readonly<Record<Reason, string>> = {
  binds: 'its work fills its thread, and cores are free',
  spare: 'beside a dominant operator it would be in the way at times',
  'not-worth-a-thread': 'a thread of its own costs more than it brings',
  rides: 'it shares the threads of the one before it',
  'too-many': 'more threads than there is work or cores for',
  'in-order': 'it sees all elements in order',
  overlap: 'it and what follows can work at the same time',
  'waits-vary': 'what follows has to wait for it at times',
  'same-every-pass': 'what lies before it gives the same in every pass',
  'waits-outside': 'its calls wait for answers, and more could wait at once',
  'one-reader': 'one thread cannot read as much as the rest could take',
  'small-operators': 'too small for channels of their own: the threads that read take elements all the way',
};
