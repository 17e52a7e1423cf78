import { METRICS, type Metric } from '../../model/metric.ts';

/** What a lane takes counters with. */
interface CounterWriter {
  counter(subject: number, metricCode: number, timeNs: number, value: number, window: number): void;
}

export type Figures = Readonly<Partial<Record<Metric, number | undefined>>>;

/** Writes what samplers found of a subject; what this system does not say is left out. */
export function writeFigures(
  lane: CounterWriter,
  subject: number,
  now: number,
  window: number,
  figures: Figures,
): void {
  for (const [metric, value] of Object.entries(figures) as [Metric, number | undefined][]) {
    if (value === undefined) continue;
    // Samplers speak ns; metrics of many cores together are kept in µs.
    const kept = METRICS[metric].unit === 'µs' ? value / 1000 : value;
    lane.counter(subject, METRICS[metric].code, now, Math.round(kept), window);
  }
}
