import { VenturiError } from '../model/errors.ts';
import type { RunManifest } from '../model/run.ts';
import { count } from '../report/format.ts';

/** Operators that a page shows and a forecast looks at: no drawing tells more of them apart, and every place for a cache is compared with every other. */
const MOST_OPERATORS = 2000;

/** Refuses a run whose graph is too large for a page, or for a forecast. */
export function refuseLargeGraph({ name, graph }: RunManifest, use: 'page' | 'forecast'): void {
  const operators = graph?.operators.length ?? 0;
  if (operators <= MOST_OPERATORS) return;
  const most = count(MOST_OPERATORS);
  throw new VenturiError(
    'VENTURI_GRAPH_TOO_LARGE',
    `The graph of ${name} has ${count(operators)} operators; ${use === 'page' ? `a page shows up to ${most}` : `a forecast is made for up to ${most}`}.`,
    {
      remedy: 'Its figures are in what venturi diagnose prints, and in the tables that venturi export --to csv writes.',
    },
  );
}
