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
export const problemsOf = ({ problems, manifest }: Run): readonly string[] => [
  ...problems,
  ...(manifest.outcome?.warnings ?? []),
];
