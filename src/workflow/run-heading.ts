import type { Run } from '../store/run-reader.ts';

/** What every report on a recorded run begins with. */
export interface RunHeading {
  readonly schemaVersion: 1;
  readonly name: string;
  readonly folder: string;
  readonly complete: boolean;
  readonly status: string;
}

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
