import { VenturiError } from '../../model/errors.ts';

/** What broke while `name` was decoded, with its name. */
export function brokenFile(name: string | undefined, error: unknown): unknown {
  if (name === undefined || !(error instanceof VenturiError) || error.code !== 'VENTURI_BAD_RECORD') return error;
  const { message, remedy, cause = error } = error;
  return new VenturiError(error.code, `${name}: ${message}`, { cause, ...(remedy !== undefined && { remedy }) });
}
