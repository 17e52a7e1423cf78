import { ratio } from '../../math/ratio.ts';
import { sumOf } from '../../math/totals.ts';
import { parseSymbol } from '../../model/samples.ts';
import { type Ns, ns, type Share, share } from '../../model/units.ts';
import type { SampleAttribution } from './attribution.ts';
import type { OwnerTally, Tally } from './sample-tables.ts';
import type { Reason } from './span-meaning.ts';

/** Hits of one event, and the events they stand for. */
export interface EventCount {
  readonly event: string;
  readonly hits: number;
  readonly total: number;
}

/** A native function inside an operator: a row of Lotus's Table I, with figures. */
export interface SymbolRow {
  readonly symbol: string;
  readonly module: string;
  readonly hits: number;
  /** Part of the operator's hits. */
  readonly ofOperator: Share;
  /** Part of the symbol's hits in all operators that lies in this one. */
  readonly ofSymbol: Share;
  readonly events: readonly EventCount[];
}

export interface OperatorSamples {
  readonly operator: string;
  readonly hits: number;
  /** Part of all operators' hits. */
  readonly ofOperators: Share;
  /** CPU time, where a clock was sampled. */
  readonly cpu: Ns | undefined;
  readonly events: readonly EventCount[];
  /** The most hit first. */
  readonly symbols: readonly SymbolRow[];
}

export interface UnattributedSamples {
  readonly reason: Reason;
  readonly hits: number;
  /** Part of all hits. */
  readonly ofAll: Share;
  readonly events: readonly EventCount[];
  readonly symbols: readonly { readonly symbol: string; readonly module: string; readonly hits: number }[];
}

/** Where samples went. Hits are those of the first event, which is the clock unless other events were asked for. */
export interface AttributionSummary {
  readonly profiler: string;
  readonly frequency: number;
  readonly events: readonly string[];
  readonly hits: number;
  /** Part of all hits that operators have. */
  readonly inOperators: Share;
  /** The same within the processes that prepare batches; undefined where there are none. */
  readonly inOperatorsOfWorkers: Share | undefined;
  /** The most hit first. */
  readonly operators: readonly OperatorSamples[];
  readonly unattributed: readonly UnattributedSamples[];
}

const CLOCKS = /^(?:cpu|task)-clock\b/;
const OTHER_EVENTS = 'other events';

/** Samples that were given to operators, in whichever way. */
export type AttributedSamples = Pick<SampleAttribution, 'tables' | 'fact' | 'symbols' | 'workers'>;

export function summariseAttribution(attribution: AttributedSamples): AttributionSummary {
  const { tables, fact, symbols } = attribution;
  const events = fact?.events ?? ['samples'];
  const hits = tables.hits(0);
  const owned = sumOf(tables.operators.values(), ({ all }) => hitsOf(all));
  const bySymbol = new Map<number, number>();
  for (const { symbols: own } of tables.operators.values()) {
    for (const [symbol, tally] of own) bySymbol.set(symbol, (bySymbol.get(symbol) ?? 0) + hitsOf(tally));
  }
  const name = (number: number) => parseSymbol(symbols[number] ?? '') ?? { symbol: '[unknown]', module: '[unknown]' };
  const clock = events.findIndex(event => CLOCKS.test(event));
  const workers = attribution.workers();
  return {
    profiler: fact?.profiler ?? 'unknown',
    frequency: fact?.frequency ?? 0,
    events,
    hits,
    inOperators: part(owned, hits),
    inOperatorsOfWorkers: workers.hits > 0 ? part(workers.inOperators, workers.hits) : undefined,
    operators: [...tables.operators]
      .sort(([, a], [, b]) => hitsOf(b.all) - hitsOf(a.all))
      .map(([operator, tally]) => ({
        operator,
        hits: hitsOf(tally.all),
        ofOperators: part(hitsOf(tally.all), owned),
        cpu: clock < 0 ? undefined : ns(tally.all[2 * clock + 1] ?? 0),
        events: eventCounts(tally.all, events),
        symbols: mostHit(tally).map(([number, own]) => ({
          ...name(number),
          hits: hitsOf(own),
          ofOperator: part(hitsOf(own), hitsOf(tally.all)),
          ofSymbol: part(hitsOf(own), bySymbol.get(number) ?? 0),
          events: eventCounts(own, events),
        })),
      })),
    unattributed: tables.reasonsMet().flatMap(reason => {
      const tally = tables.reasons.get(reason);
      if (tally === undefined) return [];
      return [
        {
          reason,
          hits: hitsOf(tally.all),
          ofAll: part(hitsOf(tally.all), hits),
          events: eventCounts(tally.all, events),
          symbols: mostHit(tally).map(([number, own]) => ({ ...name(number), hits: hitsOf(own) })),
        },
      ];
    }),
  };
}

/** Of every operator and reason only so many symbols, the most hit. */
export const withFewSymbols = (samples: AttributionSummary, most: number): AttributionSummary => ({
  ...samples,
  operators: samples.operators.map(row => ({ ...row, symbols: row.symbols.slice(0, most) })),
  unattributed: samples.unattributed.map(row => ({ ...row, symbols: row.symbols.slice(0, most) })),
});

const hitsOf = (tally: Tally): number => tally[0] ?? 0;
const part = (some: number, whole: number): Share => share(ratio(some, whole));

const mostHit = ({ symbols }: OwnerTally): [number, Tally][] =>
  [...symbols].sort(([, a], [, b]) => hitsOf(b) - hitsOf(a));

function eventCounts(tally: Tally, events: readonly string[]): EventCount[] {
  const counts = events.map((event, at) => ({ event, hits: tally[2 * at] ?? 0, total: tally[2 * at + 1] ?? 0 }));
  const others = tally[2 * events.length] ?? 0;
  if (others > 0) counts.push({ event: OTHER_EVENTS, hits: others, total: tally[2 * events.length + 1] ?? 0 });
  return counts;
}
