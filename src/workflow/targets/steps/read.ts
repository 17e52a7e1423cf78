import { mergeRanks } from '../../../analysis/steps/merge-ranks.ts';
import { VenturiError } from '../../../model/errors.ts';
import type { StepTrace } from '../../../model/step-trace.ts';
import { readSteps, readStepsTogether } from '../../../probes/steps/read.ts';
import { stepFiles } from '../../../probes/steps/recognise.ts';
import { fileName } from '../../../report/paths.ts';
import type { RunHeading } from '../../../report/results/run-heading.ts';

/** A trace of training steps at a path: a file, or a folder with those of the ranks of one job, or of its steps where each has a file. */
export interface OpenedSteps {
  readonly heading: RunHeading;
  readonly files: readonly string[];
  readonly trace: StepTrace;
}

export async function openSteps(path: string, stepMarker: string | undefined): Promise<OpenedSteps> {
  const found = stepFiles(path);
  // What is none of the formats is refused by name.
  const files = found.length === 0 ? [path] : found;
  return {
    heading: { schemaVersion: 1, name: fileName(path), folder: path, complete: true, status: 'completed' },
    files,
    trace: (await readStepsTogether(files)) ?? (await readRanks(files, stepMarker)),
  };
}

async function readRanks(files: readonly string[], stepMarker: string | undefined): Promise<StepTrace> {
  const traces: StepTrace[] = [];
  for (const file of files) traces.push(await readSteps(file, { stepMarker }));
  refuseSameRank(files, traces);
  return mergeRanks([...traces].sort((a, b) => (a.ranks[0]?.rank ?? 0) - (b.ranks[0]?.rank ?? 0)));
}

/** Two files of one rank are two jobs, or two recordings of one. */
function refuseSameRank(files: readonly string[], traces: readonly StepTrace[]): void {
  const fileOf = new Map<number, string>();
  for (const [at, { ranks }] of traces.entries()) {
    for (const { rank } of ranks) {
      const file = files[at] ?? '';
      const other = fileOf.get(rank);
      if (other !== undefined) {
        throw new VenturiError(
          'VENTURI_STEPS_UNREADABLE',
          `${fileName(other)} and ${fileName(file)} are both of rank ${rank}, or do not say of which.`,
          { remedy: 'Give one of them, or a folder with one trace of each rank of a job.' },
        );
      }
      fileOf.set(rank, file);
    }
  }
}
