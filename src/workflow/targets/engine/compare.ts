import { isDeepStrictEqual } from 'node:util';
import { findingsOf } from '../../../findings/judge.ts';
import { quotient } from '../../../math/quotient.ts';
import { type Interval, scaledBy } from '../../../math/statistics.ts';
import { VenturiError } from '../../../model/errors.ts';
import { machineOf } from '../../../model/host.ts';
import { NS_PER_SECOND } from '../../../model/units.ts';
import type { Warning, WarningCode } from '../../../model/warnings.ts';
import { endsWords } from '../../../report/ends-words.ts';
import { coreCount } from '../../../report/format.ts';
import type { ComparedOperator, ComparedRun, PipelineComparison } from '../../../report/results/comparison.ts';
import { type AnalysedRun, analyseRun } from './analyse.ts';

/** Runs against the first of them: what got faster, what slower, and whether that is more than noise. */
export async function compareRuns(
  paths: readonly string[],
  { root }: { readonly root?: string | undefined } = {},
): Promise<PipelineComparison> {
  if (paths.length < 2) {
    throw new VenturiError('VENTURI_USAGE', 'One run cannot be compared with itself.', {
      remedy: 'Name two runs or more: venturi compare before after.',
    });
  }
  const analysed: AnalysedRun[] = [];
  for (const path of paths) analysed.push(await analyseRun(path, { root }));
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
  return { schemaVersion: 1, runs, operators: comparedOperators(analysed), cautions: cautionsOf(analysed) };
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

const countedWords = ({ rates, graph }: AnalysedRun['analysis']): string =>
  `elements${endsWords(rates.ends, graph) || ' that leave the pipeline'}`;

function cautionsOf(runs: readonly AnalysedRun[]): Warning[] {
  const [first] = runs;
  const cautions: Warning[] = [];
  const say = (code: WarningCode, message: string): void => {
    cautions.push({ code, message });
  };
  for (const { manifest, run, analysis } of runs) {
    if (first === undefined) break;
    if (analysis.graph.fingerprint !== first.analysis.graph.fingerprint) {
      say(
        'VENTURI_WARN_OTHER_PIPELINE',
        `${manifest.name} ran another pipeline than ${first.manifest.name}: operators with the same id are compared.`,
      );
    }
    if (!isDeepStrictEqual(analysis.rates.ends, first.analysis.rates.ends)) {
      say(
        'VENTURI_WARN_OTHER_ENDS',
        `${manifest.name} counts ${countedWords(analysis)}, ${first.manifest.name} ${countedWords(first.analysis)}: their rates are of different things.`,
      );
    }
    if (machineOf(manifest).cpuModel !== machineOf(first.manifest).cpuModel) {
      say(
        'VENTURI_WARN_OTHER_MACHINE',
        `${manifest.name} ran on another machine: ${machineOf(manifest).cpuModel}, not ${machineOf(first.manifest).cpuModel}.`,
      );
    }
    if (machineOf(manifest).coresUsable !== machineOf(first.manifest).coresUsable) {
      say(
        'VENTURI_WARN_OTHER_MACHINE',
        `${manifest.name} had ${coreCount(machineOf(manifest).coresUsable)}, ${first.manifest.name} ${machineOf(first.manifest).coresUsable}.`,
      );
    }
    if (!run.complete) say('VENTURI_WARN_INCOMPLETE', `${manifest.name} is incomplete.`);
    const others = analysis.rates.cpu.others ?? 0;
    if (others > 0.2 * analysis.rates.cpu.usable) {
      say('VENTURI_WARN_MACHINE_SHARED', `Other programs used ${others.toFixed(1)} cores while ${manifest.name} ran.`);
    }
  }
  return cautions;
}
