import { UnsuitableFileError } from '../../../files/regular-file.ts';
import { VenturiError } from '../../../model/errors.ts';

export const damaged = (path: string, cause: Error): VenturiError =>
  new VenturiError('VENTURI_CACHE_DAMAGED', `the cache ${path} is damaged: ${cause.message}`, {
    cause,
    remedy: 'run it again: the file was removed, and will be made anew',
  });

export const unusable = (path: string, cause: unknown): VenturiError =>
  new VenturiError('VENTURI_CACHE_UNUSABLE', `cannot use the cache ${path}: ${(cause as Error).message}`, {
    cause,
    remedy:
      cause instanceof UnsuitableFileError
        ? 'remove what is in the place of the cache, or give another folder'
        : 'make room or give another folder; without a folder, elements are kept in memory',
  });
