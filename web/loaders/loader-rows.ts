import type { PassWindow } from '../../src/analysis/batches/pass.ts';
import type { LoaderSummary } from '../../src/analysis/batches/summary.ts';
import type { Bound } from '../../src/analysis/batches/verdict.ts';
import { rankName } from '../../src/report/views/loader-ranks.ts';

/** A loader, or a rank of a training that consumes it. */
export interface LoaderRow {
  readonly key: string;
  readonly label: string;
  readonly isRank: boolean;
  readonly batches: number;
  readonly elementsPerSecond: number;
  readonly waitShare: number;
  /** Means of a batch, ns. */
  readonly preparation: number;
  readonly consumption: number;
  readonly bound: Bound;
  /** Of several ranks, the one that the others wait for. */
  readonly isHoldingUp: boolean;
  /** Share of waiting over time, in the order of passes. */
  readonly windows: readonly PassWindow[];
}

/** Loaders in the order of the diagnosis, each with its ranks where there are several. */
export const loaderRows = (loaders: readonly LoaderSummary[]): LoaderRow[] =>
  loaders.flatMap(loader => {
    const { name, ranks, rankSpread, passes, verdict } = loader;
    const whole: LoaderRow = {
      key: name,
      label: name,
      isRank: false,
      batches: loader.batches,
      elementsPerSecond: loader.elementsPerSecond,
      waitShare: verdict.waitShare,
      preparation: loader.preparation.mean,
      consumption: loader.evidence.consumePerBatch,
      bound: verdict.bound,
      isHoldingUp: false,
      windows: passes.flatMap(({ windows }) => windows),
    };
    if (rankSpread === undefined) return [whole];
    return [
      // Ranks consume at the same time: what each waits stands in a row of its own.
      { ...whole, windows: [] },
      ...ranks.map(
        (rank): LoaderRow => ({
          key: `${name} ${rank.consumer}`,
          label: rankName(rank),
          isRank: true,
          batches: rank.batches,
          elementsPerSecond: rank.elementsPerSecond,
          waitShare: rank.verdict.waitShare,
          preparation: rank.preparation,
          consumption: rank.step,
          bound: rank.verdict.bound,
          isHoldingUp: rank.consumer === rankSpread.holdingUp,
          windows: passes.filter(({ consumer }) => consumer === rank.consumer).flatMap(({ windows }) => windows),
        }),
      ),
    ];
  });

/** From the first pass over any of them to the end of the last, ns. */
export function timeOf(loaders: readonly LoaderSummary[]): { readonly from: number; readonly to: number } {
  const passes = loaders.flatMap(loader => loader.passes);
  return {
    from: Math.min(...passes.map(({ start }) => start), Number.POSITIVE_INFINITY),
    to: Math.max(...passes.map(({ end }) => end), 0),
  };
}
