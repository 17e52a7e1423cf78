import { basename } from 'node:path';
import { VenturiError } from '../../model/errors.ts';
import type { Warning } from '../../model/warnings.ts';
import { EXPORT_ENDINGS, EXPORT_FORMATS, type ExportFormat } from '../../report/export-formats.ts';
import { RUN_SUFFIX } from '../../store/manifest.ts';
import { openRun } from '../../store/run-reader.ts';
import { readerOf } from '../targets/registry.ts';
import { openSteps } from '../targets/steps/read.ts';
import type { Exported, ExportJob, ExportOptions } from './exporter.ts';
import { EXPORTERS } from './exporters.ts';
import { WrittenFiles } from './written-files.ts';

export interface ExportRequest extends ExportOptions {
  readonly to: ExportFormat;
  /** A file, or a folder for tables and `.cpuprofile` files; named after the run unless given. */
  readonly out?: string | undefined;
  readonly stepMarker?: string | undefined;
}

export interface ExportResult {
  readonly schemaVersion: 1;
  readonly to: ExportFormat;
  readonly out: string;
  /** What lies in the folder, where it is one. */
  readonly files: readonly string[];
  /** What the recording has and the export has not. */
  readonly leftOut: readonly string[];
  readonly warnings: readonly Warning[];
}

/** Writes a run, or a trace of training steps, in a format that other programs read. */
export async function exportRun(path: string, request: ExportRequest, signal?: AbortSignal): Promise<ExportResult> {
  refuseOptions(request);
  const files = new WrittenFiles(signal);
  try {
    const result =
      readerOf([path]) === undefined ? await recording(path, request, files) : await steps(path, request, files);
    // A signal that came while the last piece was written.
    await files.pause();
    files.commit();
    return result;
  } catch (error) {
    files.abandon();
    throw error;
  }
}

async function recording(path: string, request: ExportRequest, files: WrittenFiles): Promise<ExportResult> {
  const run = openRun(path);
  // Not what the run calls itself: that may name any place.
  const job = jobOf(basename(run.folder, RUN_SUFFIX), request, files);
  const { run: write } = EXPORTERS[request.to];
  const exported = await write(run, job);
  return resultOf(request, job, exported, run.problems);
}

async function steps(path: string, request: ExportRequest, files: WrittenFiles): Promise<ExportResult> {
  const { steps: write } = EXPORTERS[request.to];
  if (write === undefined) {
    const others = EXPORT_FORMATS.filter(format => EXPORTERS[format].steps !== undefined);
    throw new VenturiError(
      'VENTURI_USAGE',
      `${path} is a trace of training steps, and --to ${request.to} is for recordings.`,
      {
        remedy: `Of a trace there are: ${others.map(format => `--to ${format}`).join(', ')}.`,
      },
    );
  }
  const job = jobOf(basename(path).replace(/\.(?:json|pb|et|gz)\b.*$/, ''), request, files);
  return resultOf(request, job, await write(await openSteps(path, request.stepMarker), job), []);
}

const jobOf = (name: string, { to, out, ...options }: ExportRequest, files: WrittenFiles): ExportJob => ({
  ...options,
  out: out ?? (options.table === undefined ? `${name}${EXPORT_ENDINGS[to]}` : `${name}-${options.table}.${to}`),
  files,
});

const resultOf = (
  { to }: ExportRequest,
  { out }: ExportJob,
  { files = [], leftOut, warnings = [] }: Exported,
  problems: readonly Warning[],
): ExportResult => ({ schemaVersion: 1, to, out, files, leftOut, warnings: [...problems, ...warnings] });

/** An option that would do nothing is a mistake of its user. */
function refuseOptions({ to, fine, full, merge, table }: ExportRequest): void {
  const given = { fine: fine === true, full: full === true, merge: merge !== undefined, table: table !== undefined };
  for (const option of ['fine', 'full', 'merge', 'table'] as const) {
    if (!given[option] || EXPORTERS[to].takes.includes(option)) continue;
    const takers = EXPORT_FORMATS.filter(format => EXPORTERS[format].takes.includes(option));
    throw new VenturiError('VENTURI_USAGE', `--${option} means nothing to --to ${to}.`, {
      remedy: `It is for ${takers.map(format => `--to ${format}`).join(' and ')}.`,
    });
  }
}
