import { mergeRanks } from '../../../analysis/steps/merge-ranks.ts';
import { VenturiError } from '../../../model/errors.ts';
import type { StepTrace } from '../../../model/step-trace.ts';
import { readSteps, readStepsTogether } from '../../../probes/steps/read.ts';
import { isExecutionTrace, MOST_FILES, namedLikeSteps, stepFiles } from '../../../probes/steps/recognise.ts';
import { fileName } from '../../../report/paths.ts';
import type { RunHeading } from '../../../report/results/run-heading.ts';
import { pairedTraces } from './execution-traces.ts';
import { type ReadFile, tracesOfRanks } from './same-rank.ts';

/** A trace of training steps at a path: a file, or a folder with those of the ranks of one job and of their times, or of its steps where each has a file. */
export interface OpenedSteps {
  readonly heading: RunHeading;
  readonly files: readonly string[];
  readonly trace: StepTrace;
}

export async function openSteps(path: string, stepMarker: string | undefined): Promise<OpenedSteps> {
  const found = stepFiles(path);
  if (found.length > 0 && found[0] !== path) refuseCrowded(path);
  // What is none of the formats is refused by name.
  const files = found.length === 0 ? [path] : found;
  const trace = (await readStepsTogether(files)) ?? (await readRanks(files, stepMarker));
  refuseTimeless(path, trace);
  return {
    heading: { schemaVersion: 1, name: fileName(path), folder: path, complete: true, status: 'completed' },
    files,
    trace,
  };
}

/** What is not looked at is not left out in silence. */
function refuseCrowded(folder: string): void {
  const { length } = namedLikeSteps(folder);
  if (length <= MOST_FILES) return;
  throw new VenturiError(
    'VENTURI_STEPS_UNREADABLE',
    `${folder} has ${length} files that may be traces, and ${MOST_FILES} are read together at most.`,
    { remedy: 'Put the traces to be read into a folder of their own: those of some ranks, or of some steps.' },
  );
}

/** Steps that take no time say nothing about time, and every share of them would be 0 / 0. */
function refuseTimeless(path: string, { ranks, steps }: StepTrace): void {
  const longest = ranks.map((): number | undefined => undefined);
  for (const { rank, duration } of steps) longest[rank] = Math.max(longest[rank] ?? 0, duration);
  for (const [at, { name }] of ranks.entries()) {
    if (longest[at] !== 0) continue;
    throw new VenturiError('VENTURI_STEPS_NONE', `In ${path} every step of ${name} takes 0 s.`, {
      remedy: 'Record the steps again, or name what marks one: --step-marker NAME.',
    });
  }
}

async function readRanks(files: readonly string[], stepMarker: string | undefined): Promise<StepTrace> {
  const beside = files.filter(isExecutionTrace);
  const ofProfiler = files.filter(file => !beside.includes(file));
  // One without a trace of the profiler is refused where it is read.
  const executionTraces = ofProfiler.length === 0 ? undefined : pairedTraces(ofProfiler, beside);
  const read: ReadFile[] = [];
  for (const file of ofProfiler.length === 0 ? beside : ofProfiler) {
    read.push({ file, trace: await readSteps(file, { stepMarker, executionTraceOf: executionTraces?.of(file) }) });
  }
  executionTraces?.refuseUnused();
  return mergeRanks(tracesOfRanks(read));
}
