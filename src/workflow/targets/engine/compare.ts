import { isDeepStrictEqual } from 'node:util';
import { findingsOf } from '../../../findings/judge.ts';
import { TAKEN } from '../../../findings/oversubscribed-cores.ts';
import { quotient } from '../../../math/repeated.ts';
import { type Interval, scaledBy } from '../../../math/statistics.ts';
import type { RunManifest } from '../../../model/run.ts';
import { NS_PER_SECOND } from '../../../model/units.ts';
import type { Warning } from '../../../model/warnings.ts';
import { endsWords } from '../../../report/ends-words.ts';
import type { ComparedOperator, ComparedRun, PipelineComparison } from '../../../report/results/comparison.ts';
import { refuseLessThanTwo } from '../../refusals.ts';
import { machineCautions, when } from '../machine-cautions.ts';
import { type AnalysedRun, analyseRun } from './analyse.ts';
import { comparedProfiles } from './compare-profiles.ts';

/** Runs against the first of them: what got faster, what slower, and whether that is more than noise. */
export const compareRuns = async (
  paths: readonly string[],
  { root }: { readonly root?: string | undefined } = {},
): Promise<PipelineComparison> => comparisonOf(await analyseRuns(paths, { root }));

/** Two or more. */
export async function analyseRuns(
  paths: readonly string[],
  { root }: { readonly root?: string | undefined } = {},
): Promise<AnalysedRun[]> {
  refuseLessThanTwo(paths, 'run', 'before after');
  const analysed: AnalysedRun[] = [];
  for (const path of paths) analysed.push(await analyseRun(path, { root }));
  return analysed;
}

export async function comparisonOf(analysed: readonly AnalysedRun[]): Promise<PipelineComparison> {
  const first = analysed[0]?.analysis.rates.rate;
  const runs = analysed.map(({ run, manifest, analysis }): ComparedRun => {
    const { rates } = analysis;
    const ratio = quotient(rates.rate, first ?? rates.rate);
    return {
      name: manifest.name,
      folder: run.folder,
      seconds: analysis.durationNs / NS_PER_SECOND,
      rate: rates.rate,
      ends: rates.ends,
      ratio,
      withinNoise: holdsOne(ratio),
      coresBusy: rates.cpu.busy,
      coresUsable: rates.cpu.usable,
      cpuDemand: rates.totalDemand,
      verdict: findingsOf(analysis).verdict,
      graph: analysis.graph,
    };
  });
  const profiles = await comparedProfiles(runs.map(({ folder }) => folder));
  return {
    schemaVersion: 1,
    runs,
    operators: comparedOperators(analysed),
    ...(profiles && { profiles }),
    cautions: cautionsOf(analysed),
  };
}

const holdsOne = ({ low, high }: Interval): boolean => low <= 1 && high >= 1;

function comparedOperators(runs: readonly AnalysedRun[]): ComparedOperator[] {
  const labels = new Map(
    runs.flatMap(({ analysis }) => analysis.graph.operators.map(({ id, label }) => [id, label] as const)),
  );
  return [...labels].map(([id, label]) => {
    const each = runs.map(({ analysis: { rates } }): { cpu: Interval; lanes: number | undefined } | undefined => {
      const operator = rates.operators.find(candidate => candidate.id === id);
      if (operator === undefined || !(operator.visitRatio > 0)) return undefined;
      return {
        cpu: scaledBy(operator.cpuDemand, 1 / operator.visitRatio),
        lanes: rates.stages.find(({ id: stage }) => stage === operator.stage)?.lanes,
      };
    });
    const measured = each.flatMap(one => (one === undefined || !(one.cpu.estimate > 0) ? [] : [one.cpu]));
    const [before, after] = [measured[0], measured.at(-1)];
    const ratio =
      before === undefined || after === undefined || measured.length < 2 ? undefined : quotient(after, before);
    return {
      id,
      label,
      cpuPerElement: each.map(one => one?.cpu),
      lanes: each.map(one => one?.lanes),
      ratio,
      withinNoise: ratio === undefined || holdsOne(ratio),
    };
  });
}

/** Profiled code has other line breaks than code that is not, and so another fingerprint. */
const isOtherPipeline = (run: RunManifest, first: RunManifest): boolean =>
  run.graph?.fingerprint !== first.graph?.fingerprint && isProfiled(run) === isProfiled(first);
const isProfiled = ({ settings }: RunManifest): boolean => settings.profileRate !== undefined;

const countedWords = ({ rates, graph }: AnalysedRun['analysis']): string =>
  `elements${endsWords(rates.ends, graph) || ' that leave the pipeline'}`;

/** Ids tell operators apart where words and labels do not. */
const countedAt = ({ rates }: AnalysedRun['analysis']): string =>
  `elements of ${rates.ends.map(({ operator }) => `'${operator}'`).join(' and ')}`;

/** What two runs count, in words that differ. */
function countedApart(one: AnalysedRun['analysis'], other: AnalysedRun['analysis']): readonly [string, string] {
  const words = [countedWords(one), countedWords(other)] as const;
  return words[0] === words[1] ? [countedAt(one), countedAt(other)] : words;
}

function cautionsOf(runs: readonly AnalysedRun[]): Warning[] {
  const [first] = runs;
  if (first === undefined) return [];
  return runs.flatMap(({ manifest, run, analysis }) => {
    const { name } = manifest;
    const { others = 0, usable } = analysis.rates.cpu;
    const pipeline = `${name} ran another pipeline than ${first.manifest.name}: operators with the same id are compared.`;
    const [own, firsts] = countedApart(analysis, first.analysis);
    const counted = `${name} counts ${own}, ${first.manifest.name} ${firsts}`;
    const shared = `Other programs used ${others.toFixed(1)} cores while ${name} ran.`;
    const isCountedElsewhere = !isDeepStrictEqual(analysis.rates.ends, first.analysis.rates.ends);
    return [
      ...when(isOtherPipeline(manifest, first.manifest), 'VENTURI_WARN_OTHER_PIPELINE', pipeline),
      ...when(isCountedElsewhere, 'VENTURI_WARN_OTHER_ENDS', `${counted}: their rates are of different things.`),
      ...machineCautions(manifest, first.manifest, run.complete),
      ...when(others > TAKEN * usable, 'VENTURI_WARN_MACHINE_SHARED', shared),
    ];
  });
}
