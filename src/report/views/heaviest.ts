import type { OperatorRow } from '../../analysis/rates/rows.ts';

/** The operator with most of the CPU; undefined where none used any. */
export const heaviest = (operators: readonly OperatorRow[]): OperatorRow | undefined =>
  operators.filter(({ cpuShare }) => cpuShare > 0).toSorted((a, b) => b.cpuShare - a.cpuShare)[0];
