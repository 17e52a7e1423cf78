import { findingsOf } from '../analysis/findings/registry.ts';
import type { ConsumerRates, CpuUse, OperatorRates, StageRates } from '../analysis/rates/rates.ts';
import type { OperatorRow } from '../analysis/rates/rows.ts';
import type { OperatorSize } from '../analysis/sizes/sizes.ts';
import { placeId } from '../analysis/states/detect.ts';
import type { Interval } from '../math/statistics.ts';
import type { End } from '../model/end.ts';
import type { Finding } from '../model/finding.ts';
import type { Graph } from '../model/graph.ts';
import { NS_PER_SECOND } from '../model/units.ts';
import { type AnalysedRun, type AnalyseOptions, analyseRun } from './analyse.ts';
import { headingOf, problemsOf, type RunHeading } from './run-heading.ts';

/** When the narrow place was where; `place` is the id of a vertex or a channel with its kind before it. */
export interface NarrowSegment {
  readonly fromSeconds: number;
  readonly toSeconds: number;
  readonly place: string | undefined;
}

/** What limits a recorded run, why that is believed, and what to do about it. */
export interface Diagnosis extends RunHeading {
  readonly seconds: number;
  /** The command that was recorded. */
  readonly command: readonly string[];
  readonly verdict: Finding;
  readonly others: readonly Finding[];
  /** Elements per second that came to their ends, over the steady part. */
  readonly rate: Interval;
  /** The one operator at which elements are counted; undefined where there are several. */
  readonly root: string | undefined;
  /** All of them: what the consumer takes, and what enters sinks. */
  readonly ends: readonly End[];
  readonly steady: { readonly fromSeconds: number; readonly toSeconds: number };
  readonly cpu: CpuUse;
  readonly consumer: ConsumerRates | undefined;
  readonly operators: readonly OperatorRates[];
  readonly rows: readonly OperatorRow[];
  readonly stages: readonly StageRates[];
  readonly sizes: readonly OperatorSize[];
  readonly windowSeconds: number;
  readonly segments: readonly NarrowSegment[];
  readonly graph: Graph;
  readonly problems: readonly string[];
}

export async function diagnose(path: string, options: AnalyseOptions = {}): Promise<Diagnosis> {
  return diagnosisOf(await analyseRun(path, options));
}

export function diagnosisOf({ run, manifest, analysis }: AnalysedRun): Diagnosis {
  const { rates, states, rows, sizes, graph, durationNs } = analysis;
  const { verdict, others } = findingsOf(analysis);
  return {
    ...headingOf(run),
    seconds: durationNs / NS_PER_SECOND,
    command: manifest.command,
    verdict,
    others,
    rate: rates.rate,
    root: rates.ends.length === 1 ? rates.ends[0]?.operator : undefined,
    ends: rates.ends,
    steady: { fromSeconds: rates.stretch.from / NS_PER_SECOND, toSeconds: rates.stretch.to / NS_PER_SECOND },
    cpu: rates.cpu,
    consumer: rates.consumer,
    operators: rates.operators,
    rows: rows.operators,
    stages: rates.stages,
    sizes,
    windowSeconds: states.windowNs / NS_PER_SECOND,
    segments: states.segments.map(({ from, to, place }) => ({
      fromSeconds: from / NS_PER_SECOND,
      toSeconds: to / NS_PER_SECOND,
      place: place === undefined ? undefined : placeId(place),
    })),
    graph,
    problems: problemsOf(run),
  };
}
