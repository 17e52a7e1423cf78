import type { Outcome } from '../model/run.ts';
import { WARNING_CODES, type Warning } from '../model/warnings.ts';
import type { RunHeading } from '../report/results/run-heading.ts';
import type { Run } from '../store/run-reader.ts';

export const headingOf = ({ folder, complete, manifest }: Run): RunHeading => ({
  schemaVersion: 1,
  name: manifest.name,
  folder,
  complete,
  status: manifest.outcome?.status ?? 'incomplete',
});

/** What could not be read of it, and what its recorder had to say. Ask when all records have been read. */
export const problemsOf = ({ problems, manifest }: Run): readonly Warning[] => [
  ...problems,
  ...(manifest.outcome === undefined ? [] : recordedWarnings(manifest.outcome)),
];

/** Recordings before 0.2, and those of pipelines, have no codes. */
const recordedWarnings = ({ warnings, warningCodes = [] }: Outcome): Warning[] =>
  warnings.map((message, at) => ({
    code: WARNING_CODES.find(code => code === warningCodes[at]) ?? 'VENTURI_WARN_RUN',
    message,
  }));
