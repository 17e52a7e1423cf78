import type { OperatorKind } from './kind.ts';

/** Elements pass these untouched: what they do happens between passes and between stages. */
const passing = (kind: string, extra: Partial<OperatorKind>): OperatorKind => ({
  kind,
  sequential: true,
  element(code) {
    code.next(code.value);
  },
  ...extra,
});

/** Starts its upstream over; the stage runner counts the passes. */
export const repeat = passing('repeat', {});

/** Only a place to buffer. It rides in any stage and ends it. */
export const prefetch = passing('prefetch', { sequential: false, endsStage: true });
