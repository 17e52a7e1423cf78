import type { OperatorKind } from './kind.ts';

/** Elements pass these untouched: what they do happens between passes and between stages. */
export const passing = (kind: string, extra: Partial<OperatorKind>): OperatorKind => ({
  kind,
  sequential: true,
  elements: 'same',
  keepsValues: true,
  sameCount: true,
  element(code) {
    code.worked();
    code.next(code.value);
  },
  ...extra,
});

/** Counted by the loop itself: the element is there before its operator has anything to do. */
export const range = passing('range', {});

/** Starts its upstream over; the stage runner counts the passes. */
export const repeat = passing('repeat', { elements: 'more', work: 'none' });

/** What it does happens before its stage's loop: it sees elements as they come, and later from what was kept. */
export const cache = passing('cache', { origin: true, keeps: true });

/** A buffer and nothing else. It rides in any stage and ends it. */
export const prefetch = passing('prefetch', {
  sequential: false,
  work: 'none',
  endsStage: true,
  removable: true,
  buffer: 'elements',
});

/** The same where the channel behind it has a bandwidth. */
export const transport = passing('transport', { sequential: false, work: 'none', endsStage: true });
