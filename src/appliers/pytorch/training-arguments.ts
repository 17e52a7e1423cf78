import type { ArgumentName } from './call-edit.ts';
import type { ArgumentChanges } from './constructor-rules.ts';
import type { LoaderCall } from './loader-call.ts';
import { callsBetween, lineOf } from './python-call.ts';

/** What transformers' TrainingArguments call the settings of the loaders that its Trainer makes. */
const NAMES: Readonly<Record<string, string>> = {
  num_workers: 'dataloader_num_workers',
  prefetch_factor: 'dataloader_prefetch_factor',
  persistent_workers: 'dataloader_persistent_workers',
  pin_memory: 'dataloader_pin_memory',
};

export const trainingArgumentName: ArgumentName = name => NAMES[name];

/** The one call of a source that sets a Trainer's loaders, and its line; undefined where there is none, or more. */
export function trainingArgumentsCall(
  source: string,
): { readonly maker: LoaderCall; readonly line: number } | undefined {
  const calls = callsBetween(source, 0, source.length).filter(
    ({ callee, arguments: given }) =>
      /TrainingArguments$/.test(callee) || given.some(({ name }) => name?.startsWith('dataloader_')),
  );
  const [call, another] = calls;
  if (call === undefined || another !== undefined) return undefined;
  // Its own defaults are neutral, and its fields stand with their names.
  return { maker: { call, positional: [], elsewhere: [], accepts: undefined }, line: lineOf(source, call.from) };
}

/** Arguments to give, and the neutral values of those that were given before and are to go. */
export const wantedArguments = ({ set, drop }: ArgumentChanges): [name: string, value: string][] => [
  ...Object.entries(set),
  ...drop.flatMap(({ name, neutral, had }): [string, string][] => (had === 'yes' ? [[name, neutral]] : [])),
];

/** The changes on the command line of a program whose arguments HfArgumentParser reads. */
export function trainingOptions(changes: ArgumentChanges): string | undefined {
  const options = wantedArguments(changes).map(([name, value]) => {
    const called = NAMES[name];
    // It reads no None; a prefetch factor that was given has to go by hand.
    return called === undefined || value === 'None' ? undefined : `--${called} ${value}`;
  });
  return options.includes(undefined) ? undefined : options.join(' ');
}

export const readsTrainingOptions = (source: string): boolean => /\bHfArgumentParser\s*\(/.test(source);
