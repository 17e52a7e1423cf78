import { VenturiError } from '../../model/errors.ts';

/** What opening, writing or renaming a file threw, as a failure with a remedy. */
export function unwritableExport(path: string, error: unknown): unknown {
  if (error instanceof VenturiError || !(error instanceof Error)) return error;
  return new VenturiError('VENTURI_FILE_UNWRITABLE', `${path} cannot be written: ${error.message}.`, {
    remedy: 'Choose a place that you may write to and that has space left.',
    cause: error,
  });
}
