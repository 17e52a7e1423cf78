import { METRICS, type Metric, metricOf } from '../model/metric.ts';
import { RECORD_KIND, subject as subjectKeys } from '../model/record.ts';
import type { RecordBlock } from '../model/span.ts';

/** Readings that are kept of a gauge; of more, every other one is forgotten. */
const MOST_READINGS = 2048;

/** Readings of a gauge, in the order in which they came. */
export interface GaugeReadings {
  readonly moments: readonly number[];
  readonly values: readonly number[];
}

const GAUGE_CODES: ReadonlySet<number> = new Set(
  Object.values(METRICS)
    .filter(({ shape }) => shape === 'gauge')
    .map(({ code }) => code),
);

/** Gauges of the process and its host over time. Memory does not grow with the length of a run. */
export class GaugeFold {
  readonly #readings = new Map<string, { every: number; skipped: number; moments: number[]; values: number[] }>();

  block({ count, kind, flags, subject, start, duration }: RecordBlock, subjects: readonly string[]): void {
    for (let at = 0; at < count; at++) {
      if (kind[at] !== RECORD_KIND.counter || !GAUGE_CODES.has(flags[at] ?? 0)) continue;
      const whose = subjects[subject[at] ?? -1];
      const metric = metricOf(flags[at] ?? 0);
      if ((whose === subjectKeys.process || whose === subjectKeys.host) && metric !== undefined) {
        this.#read(metric, start[at] ?? 0, duration[at] ?? 0);
      }
    }
  }

  #read(metric: Metric, moment: number, value: number): void {
    const its = this.#readings.get(metric) ?? { every: 1, skipped: 0, moments: [], values: [] };
    this.#readings.set(metric, its);
    if (++its.skipped < its.every) return;
    its.skipped = 0;
    its.moments.push(moment);
    its.values.push(value);
    if (its.moments.length < MOST_READINGS) return;
    its.every *= 2;
    its.moments = its.moments.filter((_, at) => at % 2 === 0);
    its.values = its.values.filter((_, at) => at % 2 === 0);
  }

  readings(metric: Metric): GaugeReadings {
    const { moments = [], values = [] } = this.#readings.get(metric) ?? {};
    return { moments, values };
  }
}
