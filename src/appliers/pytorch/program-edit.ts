import type { LoaderChanges } from '../../model/loader-changes.ts';
import type { LoaderSettings } from '../../model/loader-facts.ts';
import { editCall } from './call-edit.ts';
import { callLevels, type SourceFrame } from './call-level.ts';
import { type ArgumentChanges, argumentChanges } from './constructor-rules.ts';
import { flagsReadElsewhere, optionsFor } from './program-option.ts';
import {
  readsTrainingOptions,
  trainingArgumentName,
  trainingArgumentsCall,
  trainingOptions,
  wantedArguments,
} from './training-arguments.ts';
import { unifiedDiff } from './unified-diff.ts';

/** A recorded loader that is to be set otherwise, and what is known of the program that made it. */
export interface LoaderToEdit {
  readonly changes: LoaderChanges;
  readonly settings: LoaderSettings | undefined;
  /** Version of torch. */
  readonly torch: string | undefined;
  /** The author's own frames while it was made, from the innermost outwards. */
  readonly frames: readonly SourceFrame[];
  /** Whose code made it, where that was not the author's: `transformers.Trainer`. */
  readonly library: string | undefined;
  /** The text of a file as it was recorded. */
  sourceOf(file: string): string | undefined;
  /** Whether a line makes other loaders too, which are to stay as they are. */
  isShared(frame: SourceFrame): boolean;
}

/** How a program is changed so that its loader is set otherwise. */
export interface ProgramEdit {
  /** A diff of the author's own file; undefined where no call of theirs can be edited safely. */
  readonly diff: { readonly file: string; readonly line: number; readonly lines: readonly string[] } | undefined;
  /** Options of the program that do it without an edit. */
  readonly options: string | undefined;
  /** What to do where there is no diff, and what to know of the one there is. */
  readonly advice: readonly string[];
}

export function editProgram(loader: LoaderToEdit): ProgramEdit {
  const changes = argumentChanges(loader.changes, loader.settings, loader.torch);
  return /^transformers\b/.test(loader.library ?? '') ? editTraining(loader, changes) : editCalls(loader, changes);
}

function editCalls({ frames, sourceOf, isShared, library }: LoaderToEdit, changes: ArgumentChanges): ProgramEdit {
  const levels = callLevels(frames, sourceOf, changes);
  const outermost = levels.at(-1);
  const sources = [...new Set(frames.flatMap(({ file }) => sourceOf(file) ?? []))];
  const options = outermost && optionsFor(sources, outermost);
  const elsewhere = outermost && options !== undefined ? flagsReadElsewhere(sources, outermost, options) : [];
  const ofOptions = elsewhere.map(
    flag => `The program reads ${flag} elsewhere, too: it may set other loaders with it.`,
  );
  const own = levels.find(({ frame }) => !isShared(frame));
  const level = own ?? levels[0];
  const edited = level && editCall(level.source, level.maker, level.changes, level.nameOf);
  if (level === undefined || edited === undefined || edited === level.source) {
    return { diff: undefined, options, advice: [wordsOf(changes, library), ...ofOptions] };
  }
  return {
    diff: { file: level.frame.file, line: level.frame.line, lines: unifiedDiff(level.source, edited) },
    options,
    advice: [
      ...(own === undefined
        ? ['This line makes other loaders too: give this one a line of its own to set it apart.']
        : []),
      ...ofOptions,
    ],
  };
}

/** A Trainer makes its loaders itself, as its TrainingArguments say. */
function editTraining({ frames, sourceOf }: LoaderToEdit, changes: ArgumentChanges): ProgramEdit {
  const files = [...new Set(frames.map(({ file }) => file))];
  const found = files.flatMap(file => {
    const source = sourceOf(file);
    const made = source === undefined ? undefined : trainingArgumentsCall(source);
    return source === undefined || made === undefined ? [] : [{ file, source, ...made }];
  });
  const [call, another] = found;
  const edited = call && !another && editCall(call.source, call.maker, changes, trainingArgumentName);
  const isParsed = files.some(file => readsTrainingOptions(sourceOf(file) ?? ''));
  const options = isParsed ? trainingOptions(changes) : undefined;
  if (call === undefined || !edited) {
    return { diff: undefined, options, advice: [`${trainingWords(changes)}: its Trainer makes the loader.`] };
  }
  return {
    diff: { file: call.file, line: call.line, lines: unifiedDiff(call.source, edited) },
    options,
    advice: [],
  };
}

const assigned = ([name, value]: readonly [string, string]): string => `${name}=${value}`;

function trainingWords(changes: ArgumentChanges): string {
  const named = wantedArguments(changes).flatMap(([name, value]) => {
    const called = trainingArgumentName(name);
    return called === undefined ? [] : [assigned([called, value])];
  });
  return `Give TrainingArguments ${named.join(', ')}`;
}

/** The arguments to give, and those to take away with the last worker. */
function wordsOf({ set, drop }: ArgumentChanges, library: string | undefined): string {
  const gone = drop.filter(({ had }) => had !== 'no').map(({ name }) => name);
  const without =
    gone.length === 0
      ? ''
      : `, and neither ${gone.join(' nor ')}: only workers may have ${gone.length === 1 ? 'it' : 'them'}`;
  const where = library === undefined ? 'where the loader is made' : `through ${library}, which makes the loader`;
  return `Give it ${Object.entries(set).map(assigned).join(', ')} ${where}${without}.`;
}
