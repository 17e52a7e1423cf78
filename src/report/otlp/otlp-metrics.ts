import type { MetricFamily } from '../metric-family.ts';
import { textAttribute } from './attributes.ts';

/** AGGREGATION_TEMPORALITY_CUMULATIVE. */
const CUMULATIVE = 2;

/** Families as metrics of OTLP's JSON: totals as sums that only grow, others as gauges. */
export const otlpMetrics = (families: readonly MetricFamily[], startNs: bigint, endNs: bigint): object[] =>
  families.map(({ name, help, type, unit, points }) => {
    const dataPoints = points.map(({ labels, value }) => ({
      attributes: Object.entries(labels).map(([key, text]) => textAttribute(key, text)),
      startTimeUnixNano: String(startNs),
      timeUnixNano: String(endNs),
      asDouble: value,
    }));
    // Without the suffix, which the exporter to Prometheus adds.
    const head = { name: name.replace(/_total$/, ''), description: help, unit };
    return type === 'counter'
      ? { ...head, sum: { dataPoints, aggregationTemporality: CUMULATIVE, isMonotonic: true } }
      : { ...head, gauge: { dataPoints } };
  });
