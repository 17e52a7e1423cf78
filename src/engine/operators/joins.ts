import { passing } from './passing.ts';

/** What they do happens before their stage's loop: it sees elements that are put together already. */
const joining = { sequential: true, origin: true } as const;

/** One element of every input in an array. */
export const zip = passing('zip', { ...joining, elements: 'fewer', keepsValues: false, joins: 'shortest' });

/** One input after the other. */
export const concat = passing('concat', { ...joining, joins: 'all' });

/** So many of each input in turn. */
export const merge = passing('merge', { ...joining, joins: 'all' });

/** So many of each of the pipelines that its elements open. */
export const interleave = passing('interleave', {
  ...joining,
  elements: 'any',
  keepsValues: false,
  callsFunction: true,
});
