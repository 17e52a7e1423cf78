import { placeId } from '../../../analysis/states/detect.ts';
import { findingsOf } from '../../../findings/judge.ts';
import { NS_PER_SECOND } from '../../../model/units.ts';
import type { PipelineDiagnosis } from '../../../report/results/diagnosis.ts';
import { headingOf, problemsOf } from '../../run-heading.ts';
import { type AnalysedRun, type AnalyseOptions, analyseRun } from './analyse.ts';

export async function diagnose(path: string, options: AnalyseOptions = {}): Promise<PipelineDiagnosis> {
  return diagnosisOf(await analyseRun(path, options));
}

export function diagnosisOf({ run, manifest, analysis }: AnalysedRun): PipelineDiagnosis {
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
    steady: { fromSeconds: rates.steady.from / NS_PER_SECOND, toSeconds: rates.steady.to / NS_PER_SECOND },
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
