import { VenturiError } from '../../model/errors.ts';
import type { RunManifest } from '../../model/run.ts';
import { count } from '../../report/format.ts';

/** Operators that a page shows: with more, what limits a run takes minutes to find out, and no drawing tells them apart. */
const MOST_OPERATORS = 2000;

/** Refuses a run whose graph is larger than a page can show. */
export function refuseTooLarge({ name, graph }: RunManifest): void {
  const operators = graph?.operators.length ?? 0;
  if (operators <= MOST_OPERATORS) return;
  throw new VenturiError(
    'VENTURI_PAGE_TOO_LARGE',
    `The graph of ${name} has ${count(operators)} operators; a page shows up to ${count(MOST_OPERATORS)}.`,
    { remedy: 'Its figures are in the tables that venturi export --to csv writes.' },
  );
}
