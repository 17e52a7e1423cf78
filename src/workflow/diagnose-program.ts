import { statSync } from 'node:fs';
import { type AttributionSummary, withFewSymbols } from '../analysis/attribution/summary.ts';
import { mostWaitedFor } from '../analysis/batches/advice.ts';
import type { LoaderSummary } from '../analysis/batches/summary.ts';
import { readRegularText } from '../files/regular-file.ts';
import { type DiskCurve, mostBandwidth } from '../model/disk.ts';
import type { LoaderChanges, LoaderFinding } from '../model/loader-finding.ts';
import type { RunManifest } from '../model/run.ts';
import { NS_PER_SECOND } from '../model/units.ts';
import { type CallEdit, editCall, generalEdit } from '../tuning/loader/call-edit.ts';
import { chooseSetting, type LoaderChoice } from '../tuning/loader/choose.ts';
import { type LoaderFindings, loaderFindings } from '../tuning/loader/findings.ts';
import { attributeSamples } from './attribute.ts';
import { SYMBOLS_KEPT } from './info.ts';
import { loaderProfile } from './predict-program.ts';
import { type ProgramRun, readProgram } from './read-batches.ts';
import { headingOf, problemsOf, type RunHeading } from './run-heading.ts';

/** An edit of the program that makes a change. */
export interface LoaderEdit extends CallEdit {
  /** `FILE:LINE` of the call. */
  readonly location: string | undefined;
  /** It fits the file as it is; otherwise it shows the arguments alone. */
  readonly isOfSource: boolean;
}

export interface LoaderDiagnosis {
  readonly summary: LoaderSummary;
  readonly findings: LoaderFindings;
  readonly choice: LoaderChoice | undefined;
  readonly edit: LoaderEdit | undefined;
}

/** What limits the loaders of a recorded program, why that is believed, and what to do about it. */
export interface ProgramDiagnosis extends RunHeading {
  readonly seconds: number;
  readonly command: readonly string[];
  /** Of the loader that its consumer waits for most, which is the first of `loaders`. */
  readonly verdict: LoaderFinding;
  readonly others: readonly LoaderFinding[];
  readonly loaders: readonly LoaderDiagnosis[];
  readonly cpu: { readonly busy: number; readonly others: number | undefined; readonly usable: number };
  /** Where a profiler ran beside it: what the CPU did inside the operators. Of each only the most hit symbols. */
  readonly samples?: AttributionSummary;
  readonly torch: string | undefined;
  readonly python: string | undefined;
  readonly problems: readonly string[];
}

export interface DiagnoseProgramOptions {
  /** What storage can deliver, where that is known. */
  readonly disk?: DiskCurve | undefined;
  /** Leaves the samples alone, where many runs are judged side by side. */
  readonly withoutSamples?: boolean;
}

export async function diagnoseProgram(path: string, options: DiagnoseProgramOptions = {}): Promise<ProgramDiagnosis> {
  const program = await readProgram(path);
  const { run, summary, use, durationNs } = program;
  const { manifest } = run;
  const first = mostWaitedFor(summary.loaders) as LoaderSummary;
  const ordered = [first, ...summary.loaders.filter(loader => loader !== first && loader.batches > 0)];
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
      ...rest.flatMap(({ findings }) => [findings.verdict, ...findings.others]),
    ],
    loaders,
    cpu: {
      busy: own,
      others: Number.isNaN(all) ? undefined : Math.max(0, all - own),
      usable: manifest.host.coresUsable,
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
  const disk = options.disk ?? run.manifest.host.disk;
  const choice = profile && chooseSetting(profile, loader.settings, { disk });
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
    edit: fix.type === 'arguments' ? editOf(loader, fix.changes, run.manifest) : undefined,
  };
}

/** The edit in the file itself where it is still the one that ran. */
export function editOf(loader: LoaderSummary, changes: LoaderChanges, manifest: RunManifest): LoaderEdit {
  const { location } = loader;
  const place = /^(.*):(\d+)$/.exec(location ?? '');
  const source = place === null ? undefined : unchangedSource(place[1] ?? '', Date.parse(manifest.createdAt));
  const edit = source === undefined ? undefined : editCall(source, Number(place?.[2]), changes);
  return edit === undefined
    ? { ...generalEdit(loader.name, { ...loader.settings }, changes), location, isOfSource: false }
    : { ...edit, location, isOfSource: true };
}

/** Nobody writes more by hand. */
const MOST_SOURCE_BYTES = 16 * 2 ** 20;

function unchangedSource(file: string, recordedAt: number): string | undefined {
  try {
    return statSync(file).mtimeMs <= recordedAt + 1000 ? readRegularText(file, MOST_SOURCE_BYTES) : undefined;
  } catch {
    return undefined;
  }
}
