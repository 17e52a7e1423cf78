import { VenturiError } from '../../model/errors.ts';

/** What the file system says about a place to write to; anything else as it is. */
export function unwritableExport(path: string, error: unknown): unknown {
  if (error instanceof VenturiError || !(error instanceof Error) || !('syscall' in error)) return error;
  return new VenturiError('VENTURI_FILE_UNWRITABLE', `${path} cannot be written: ${error.message}.`, {
    remedy: 'Choose a place that you may write to and that has space left.',
    cause: error,
  });
}
