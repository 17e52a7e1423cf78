import { LogHistogram } from '../../math/histogram.ts';
import { RECORD_KIND } from '../../model/record.ts';
import type { RecordBlock } from '../../model/span.ts';
import { type Ns, ns } from '../../model/units.ts';

/** Durations of spans: the mean is exact, the quantiles are within 1 %. */
export interface SpanTimes {
  readonly mean: Ns;
  readonly p50: Ns;
  readonly p90: Ns;
  readonly p99: Ns;
}

export const spanTimes = (spans: LogHistogram): SpanTimes => ({
  mean: ns(spans.mean),
  p50: ns(spans.quantile(0.5)),
  p90: ns(spans.quantile(0.9)),
  p99: ns(spans.quantile(0.99)),
});

/** Durations of the spans of one subject. */
export interface SpanRow extends SpanTimes {
  /** The subject's key: `operator:decode`. */
  readonly subject: string;
  readonly count: number;
}

/** Spans whose lane never named their subject. */
const UNNAMED = 'unnamed';

/** Gathers the durations of spans by subject, in memory that does not grow with their number. */
export class SpanSummary {
  /** By run-wide subject number + 1; 0 holds the unnamed. */
  readonly #histograms: LogHistogram[] = [];
  #subjects: readonly string[] = [];

  block(block: RecordBlock, subjects: readonly string[]): void {
    this.#subjects = subjects;
    const histograms = this.#histograms;
    while (histograms.length <= subjects.length) histograms.push(new LogHistogram());
    const { kind, subject, duration, count } = block;
    for (let index = 0; index < count; index++) {
      if (kind[index] === RECORD_KIND.span || kind[index] === RECORD_KIND.inner) {
        histograms[(subject[index] as number) + 1]?.add(duration[index] as number);
      }
    }
  }

  /** By subject, of those that have spans, in the order in which subjects were first named. */
  histograms(): Map<string, LogHistogram> {
    return new Map(
      this.#histograms.flatMap((spans, index) =>
        spans.count === 0 ? [] : [[this.#subjects[index - 1] ?? UNNAMED, spans] as const],
      ),
    );
  }

  /** One row per subject that has spans. */
  rows(): SpanRow[] {
    return [...this.histograms()].map(([subject, spans]) => ({ subject, count: spans.count, ...spanTimes(spans) }));
  }
}
