import { badOption, describe } from '../../model/option.ts';
import type { OperatorOptions } from '../description/operator-options.ts';

export interface FileSourceOptions extends OperatorOptions {
  /**
   * 'skip': what cannot be read is given up, counted, and named in a warning. A file that is missing, locked or no file; the
   * rest of one that turns out to be damaged; a single row or line, where the next can be found. Such a source is not
   * divided among threads. The run fails unless this says otherwise.
   */
  readonly onError?: 'fail' | 'skip';
}

/** Whether losses are given up, and how that stands in the graph. */
export function lossPolicy(
  kind: string,
  { onError = 'fail' }: FileSourceOptions,
): { readonly skip: boolean; readonly settings: Readonly<Record<string, unknown>> } {
  if (onError === 'fail') return { skip: false, settings: {} };
  if (onError === 'skip') return { skip: true, settings: { onError: { retries: 0, skip: true } } };
  throw badOption(
    `${kind}: onError is ${describe(onError)}`,
    "give 'fail' or 'skip': what cannot be read once is not tried again",
  );
}
