import { statSync } from 'node:fs';
import type { LoaderSummary } from '../../../analysis/batches/summary.ts';
import type { SourceFrame } from '../../../appliers/pytorch/call-level.ts';
import { editProgram } from '../../../appliers/pytorch/program-edit.ts';
import { MOST_WRITTEN_BYTES, readRegularText } from '../../../files/regular-file.ts';
import type { LoaderChanges } from '../../../model/loader-changes.ts';
import { MS_PER_SECOND } from '../../../model/units.ts';
import type { LoaderEdit } from '../../../report/results/loader-edit.ts';
import type { ProgramRun } from './read-batches.ts';

/** The edit in the author's own file, where it is still the one that ran. */
export function editOf(
  { run, summary }: Pick<ProgramRun, 'run' | 'summary'>,
  loader: LoaderSummary,
  changes: LoaderChanges,
): LoaderEdit {
  const recordedAt = Date.parse(run.manifest.createdAt);
  const sources = new Map<string, string | undefined>();
  const others = summary.loaders.filter(other => !isSame(other, loader)).flatMap(framesOf);
  const { diff, options, advice } = editProgram({
    changes,
    settings: loader.settings,
    torch: summary.torch,
    frames: framesOf(loader).filter(({ file }) => isAuthors(file)),
    library: loader.library ?? PACKAGES.exec(loader.location ?? '')?.[1],
    sourceOf: file => {
      if (!sources.has(file)) sources.set(file, unchangedSource(file, recordedAt));
      return sources.get(file);
    },
    isShared: ({ file, line }) => others.some(other => other.file === file && other.line === line),
  });
  return {
    location: diff === undefined ? loader.location : `${diff.file}:${diff.line}`,
    isOfSource: diff !== undefined,
    diff: diff?.lines ?? [],
    options,
    advice,
  };
}

/** Nobody edits what a package manager put there. */
const PACKAGES = /[\\/](?:site|dist)-packages[\\/]([^\\/]+)/;
const isAuthors = (file: string): boolean => !PACKAGES.test(file);

/** The ranks of a training have the same loaders. */
const isSame = (one: LoaderSummary, other: LoaderSummary): boolean =>
  one.key === undefined ? one.name === other.name : one.key === other.key;

/** Recordings of 0.1 tell one place alone, which may lie in a library. */
function framesOf({ stack, location }: LoaderSummary): readonly SourceFrame[] {
  const place = /^(.*):(\d+)$/.exec(location ?? '');
  if (stack.length > 0 || place === null) return stack;
  return [{ file: place[1] ?? '', line: Number(place[2]), function: '' }];
}

function unchangedSource(file: string, recordedAt: number): string | undefined {
  try {
    // Programs that record themselves tell the second alone in which they began.
    const isUnchanged = statSync(file).mtimeMs <= recordedAt + MS_PER_SECOND;
    return isUnchanged ? readRegularText(file, MOST_WRITTEN_BYTES) : undefined;
  } catch {
    return undefined;
  }
}
