/** A figure with its labels. */
export interface MetricPoint {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Figures of one name, in base units (seconds, bytes, ratios from 0 to 1), named as Prometheus asks: `venturi_operator_cpu_seconds_total`. */
export interface MetricFamily {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge';
  /** As UCUM writes it: `s`, `By`, `1`. */
  readonly unit: 's' | 'By' | '1';
  readonly points: readonly MetricPoint[];
}

/** A family of the rows that have a figure; of several with the same labels, the later ones are numbered. */
export function metricFamily<Row>(
  [name, type, unit, help]: readonly [string, MetricFamily['type'], MetricFamily['unit'], string],
  rows: readonly Row[],
  labels: (row: Row) => Readonly<Record<string, string>>,
  figure: (row: Row) => number | undefined,
): MetricFamily {
  const seen = new Map<string, number>();
  const points = rows.flatMap((row): MetricPoint[] => {
    const value = figure(row);
    if (value === undefined || !Number.isFinite(value)) return [];
    const own = labels(row);
    const key = JSON.stringify(own);
    const turn = (seen.get(key) ?? 0) + 1;
    seen.set(key, turn);
    return [{ labels: turn === 1 ? own : { ...own, occurrence: String(turn) }, value }];
  });
  return { name, help, type, unit, points };
}
