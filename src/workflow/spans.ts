import { type SpanRow, SpanSummary } from '../analysis/rates/spans.ts';
import { foldRecords } from '../store/fold.ts';
import type { Run } from '../store/run-reader.ts';

/** How long the spans of each subject of a run took, in one pass over its records. */
export async function summariseSpans(run: Run): Promise<SpanRow[]> {
  const summary = new SpanSummary();
  await foldRecords(run.records(), [summary]);
  return summary.rows();
}
