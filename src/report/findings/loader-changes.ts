import type { LoaderChanges } from '../../model/loader-finding.ts';

/** `num_workers=4, prefetch_factor=4`, as Python has it. */
export const changesText = (changes: LoaderChanges): string =>
  Object.entries(changes)
    .map(([name, value]) => `${name}=${pythonLiteral(value)}`)
    .join(', ');

const pythonLiteral = (value: number | boolean): string =>
  typeof value === 'boolean' ? (value ? 'True' : 'False') : String(value);
