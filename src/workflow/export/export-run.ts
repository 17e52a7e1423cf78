import { basename } from 'node:path';
import { VenturiError } from '../../model/errors.ts';
import type { Warning } from '../../model/warnings.ts';
import { type ExportFormat, PROFILE_ENDINGS } from '../../report/export-formats.ts';
import { RUN_SUFFIX } from '../../store/manifest.ts';
import { openRun } from '../../store/run-reader.ts';
import { exportChrome } from './export-chrome.ts';
import { exportCsv } from './export-csv.ts';
import { exportProfile } from './export-profile.ts';

export interface ExportRequest {
  readonly to: ExportFormat;
  /** A file for a trace or a profile, a folder for tables and `.cpuprofile` files; named after the run unless given. */
  readonly out?: string | undefined;
  readonly fine?: boolean | undefined;
  readonly merge?: string | undefined;
}

export interface ExportResult {
  readonly schemaVersion: 1;
  readonly to: ExportFormat;
  readonly out: string;
  /** What lies in the folder, where it is one. */
  readonly files: readonly string[];
  readonly warnings: readonly Warning[];
}

/** Writes a run in a format that other programs read. */
export async function exportRun(path: string, request: ExportRequest): Promise<ExportResult> {
  const { to, fine, merge } = request;
  if (to !== 'chrome' && (fine === true || merge !== undefined)) {
    throw new VenturiError('VENTURI_USAGE', '--fine and --merge are for a trace.', { remedy: 'Add --to chrome.' });
  }
  const run = openRun(path);
  // Not what the run calls itself: that may name any place.
  const name = basename(run.folder, RUN_SUFFIX);
  if (to === 'csv') {
    const out = request.out ?? `${name}-csv`;
    return { schemaVersion: 1, to, out, files: await exportCsv(run, out), warnings: run.problems };
  }
  if (to !== 'chrome') {
    const out = request.out ?? `${name}${PROFILE_ENDINGS[to]}`;
    const warnings: Warning[] = [];
    const files = await exportProfile(run, to, out, warnings);
    return { schemaVersion: 1, to, out, files, warnings: [...run.problems, ...warnings] };
  }
  const out = request.out ?? `${name}.json`;
  const warnings = await exportChrome(run, out, { fine, merge });
  return { schemaVersion: 1, to, out, files: [], warnings: [...run.problems, ...warnings] };
}
