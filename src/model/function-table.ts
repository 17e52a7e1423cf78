/** Totals per native function, as VTune and uProf report them. */
export interface FunctionTable {
  readonly metrics: readonly TableMetric[];
  readonly rows: readonly FunctionTotals[];
}

export interface TableMetric {
  readonly name: string;
  /** `ratio`: it does not add up; functions are weighed by their clock ticks. */
  readonly kind: 'total' | 'ratio';
}

export interface FunctionTotals {
  readonly symbol: string;
  /** Empty where the table has no column for it. */
  readonly module: string;
  /** One for each metric; NaN where the cell is empty. */
  readonly values: readonly number[];
}

/** What weighs ratios: clock ticks where the table has them, else CPU time. */
export function ticksOf({ metrics }: FunctionTable): number | undefined {
  for (const pattern of [/^clockticks$|cpu_clk_unhalted|cycles_not_in_halt|^cycles\b/i, /cpu[ _]?time/i]) {
    const at = metrics.findIndex(({ name, kind }) => kind === 'total' && pattern.test(name));
    if (at >= 0) return at;
  }
  return undefined;
}
