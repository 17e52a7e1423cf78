import type { Period, Points, SeriesProvider } from '../series.ts';
import type { Report } from '../tree.ts';

/** What the charts and timelines of a report refer to, by key; undefined where the provider does not know it. */
export function resolved(report: Report, provider: SeriesProvider): Record<string, unknown> {
  const found: Record<string, Points | readonly Period[] | undefined> = {};
  for (const block of report) {
    if (block.type === 'chart') for (const { key } of block.series) found[key] = provider.points(key);
    if (block.type === 'timeline') for (const { key } of block.tracks) found[key] = provider.periods(key);
  }
  return found;
}
