import { withFewSymbols } from '../../../analysis/attribution/summary.ts';
import { mostWaitedFor } from '../../../analysis/batches/most-waited-for.ts';
import type { LoaderSummary } from '../../../analysis/batches/summary.ts';
import { isKnown } from '../../../appliers/pytorch/constructor-rules.ts';
import { loaderFindings, programFindings } from '../../../findings/judge.ts';
import { mostBandwidth } from '../../../model/disk.ts';
import { machineOf } from '../../../model/host.ts';
import { NS_PER_SECOND } from '../../../model/units.ts';
import type { LoaderDiagnosis, ProgramDiagnosis } from '../../../report/results/program-diagnosis.ts';
import { chooseSetting, type LoaderChoice } from '../../../tuning/loader/choose.ts';
import { attributeSamples } from '../../attribute.ts';
import { SYMBOLS_KEPT } from '../../inspect.ts';
import { headingOf, problemsOf } from '../../run-heading.ts';
import type { JudgeOptions } from '../target.ts';
import { editOf } from './loader-edit.ts';
import { loaderProfile } from './predict.ts';
import { type ProgramRun, readProgram } from './read-batches.ts';

export type DiagnoseProgramOptions = Omit<JudgeOptions, 'root'>;

export const diagnoseProgram = async (path: string, options: DiagnoseProgramOptions = {}): Promise<ProgramDiagnosis> =>
  programDiagnosisOf(await readProgram(path), options);

export async function programDiagnosisOf(
  program: ProgramRun,
  options: DiagnoseProgramOptions = {},
): Promise<ProgramDiagnosis> {
  const { run, summary, steps, use, memory, durationNs } = program;
  const { manifest } = run;
  const first = mostWaitedFor(summary.loaders) as LoaderSummary;
  const others = summary.loaders.filter(loader => loader !== first && loader.batches > 0);
  const ordered = [first, ...others.sort((a, b) => b.cost.lost - a.cost.lost)];
  const loaders = ordered.map(loader => diagnoseLoader(program, loader, options));
  const [most, ...rest] = loaders;
  const all = use.all(summary.start, summary.end);
  const own = use.own(summary.start, summary.end);
  const samples = options.withoutSamples ? undefined : await attributeSamples(run, { durationNs });
  return {
    ...headingOf(run),
    seconds: durationNs / NS_PER_SECOND,
    command: manifest.command,
    verdict: (most as LoaderDiagnosis).findings.verdict,
    others: [
      ...(most?.findings.others ?? []),
      // Of a loader that is not the one most waited for, few batches are nothing to act on.
      ...rest
        .filter(({ findings }) => findings.verdict.kind !== 'few-batches')
        .flatMap(({ findings }) => [findings.verdict, ...findings.others]),
      ...programFindings(memory, use.memoryLeft),
    ],
    loaders,
    steps,
    cpu: {
      busy: own,
      others: Number.isNaN(all) ? undefined : Math.max(0, all - own),
      usable: machineOf(manifest).coresUsable,
    },
    ...(samples === undefined ? {} : { samples: withFewSymbols(samples, SYMBOLS_KEPT) }),
    torch: summary.torch,
    python: summary.python,
    problems: problemsOf(run),
  };
}

function diagnoseLoader(program: ProgramRun, loader: LoaderSummary, options: DiagnoseProgramOptions): LoaderDiagnosis {
  const { run, summary, use, facts } = program;
  const profile = loaderProfile(program, loader);
  const disk = options.disk ?? machineOf(run.manifest).disk;
  const asked = { disk, epochs: options.epochs };
  const choice = profile && settable(chooseSetting(profile, loader.settings, asked), summary.torch);
  const read = use.processes.reduce((sum, process) => sum + process.read, 0);
  const perSecond = (read / Math.max(1, summary.end - summary.start)) * NS_PER_SECOND;
  const findings = loaderFindings({
    loader,
    profile,
    choice,
    coresBusy: use.own(summary.start, summary.end),
    storageShare: disk === undefined ? undefined : perSecond / mostBandwidth(disk),
    accelerator: facts.process?.accelerator ?? undefined,
  });
  const { fix } = findings.verdict;
  return {
    summary: loader,
    findings,
    choice,
    edit: fix.type === 'arguments' ? editOf(program, loader, fix.changes) : undefined,
  };
}

/** Without what this version of torch has no argument for. */
const settable = (choice: LoaderChoice, torch: string | undefined): LoaderChoice =>
  isKnown('in_order', torch) ? choice : { ...choice, unordered: undefined };
