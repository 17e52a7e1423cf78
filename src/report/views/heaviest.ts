import type { OperatorRow } from '../../analysis/rates/rows.ts';

/** The operator with most of the CPU; undefined where none used any. */
export function heaviest(operators: readonly OperatorRow[]): OperatorRow | undefined {
  const worked = operators.filter(operator => operator.cpuShare > 0);
  return worked.reduce<OperatorRow | undefined>(
    (most, operator) => (most === undefined || operator.cpuShare > most.cpuShare ? operator : most),
    undefined,
  );
}
