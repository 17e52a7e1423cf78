import { type Pyramid, PyramidFold } from '../../src/analysis/pyramid/pyramid.ts';
import { RECORD_KIND } from '../../src/model/record.ts';

/** Spans of one lane. */
export interface Spans {
  readonly start: Float64Array;
  readonly duration: Float64Array;
  readonly subject: Int32Array;
}

/** The pyramid over a lane with these spans. */
export function pyramidOver({ start, duration, subject }: Spans, subjects: readonly string[]): Pyramid {
  const fold = new PyramidFold();
  const count = start.length;
  fold.block(
    {
      lane: { index: 0, uuid: '', name: '', pid: 1, tid: 1, opened: 0 },
      count,
      kind: new Uint8Array(count).fill(RECORD_KIND.span),
      flags: new Uint8Array(count),
      subject,
      sequence: new Uint32Array(count),
      start,
      duration,
    },
    subjects,
  );
  return fold.result();
}
