import { VenturiError } from '../../model/errors.ts';

/** Bytes of a query's hash tables, groups and sorted rows. */
export interface Budget {
  claimed: number;
  readonly memory: number;
}

/** What generated code is handed, by the names that it has there. */
export const scopeOf = (
  inputs: readonly unknown[],
  budget: Budget,
  counts: Float64Array,
): Readonly<Record<string, unknown>> => ({
  inputs,
  counts,
  /** Texts that are keys, each by a number of its own. */
  places: new Map<string, number>(),
  texts: [],
  budget,
  overBudget,
  oneRow,
  divisionByZero,
  notANumber,
  notUnique,
});

function overBudget({ memory }: Budget): never {
  throw new VenturiError(
    'VENTURI_BUDGET_TOO_SMALL',
    `the query keeps more than ${memory} bytes in hash tables, groups and sorted rows`,
    { remedy: 'give it more memory, make the smaller relation the right side of a join, or filter before it' },
  );
}

function oneRow(rows: number): number {
  if (rows <= 1) return rows;
  throw new VenturiError('VENTURI_TYPE_MISMATCH', `a relation of ${rows} rows stands for one value`, {
    remedy: 'aggregate it without keys, or limit it to one row',
  });
}

function notANumber(): never {
  throw new VenturiError('VENTURI_TYPE_MISMATCH', 'a row has NaN for a key', {
    remedy: 'filter such rows before, or mark them in the nulls of their column',
  });
}

function divisionByZero(): never {
  throw new VenturiError('VENTURI_DIVISION_BY_ZERO', 'a row divides by zero', {
    remedy: 'filter such rows before, or say what they give: when(divisor.eq(0), 0, value.over(divisor))',
  });
}

function notUnique(): never {
  throw new VenturiError('VENTURI_BAD_OPTION', 'a key that had one row when the query was compiled has two', {
    remedy: 'compile the query again when a table has changed, or compile it with { optimise: false }',
  });
}
