import { VenturiError } from '../../model/errors.ts';

/** What `decode` makes of bytes that are the file `name`: where they are broken, the error says which file it was. */
export function decodeNamed<T>(decode: (bytes: Uint8Array) => T, bytes: Uint8Array, name: string | undefined): T {
  try {
    const decoded = decode(bytes);
    if (!(decoded instanceof Promise)) return decoded;
    return decoded.catch((error: unknown) => {
      throw brokenFile(name, error);
    }) as T;
  } catch (error) {
    throw brokenFile(name, error);
  }
}

/** What cannot be decoded of an image, and why. */
export const badImage = (kind: 'JPEG' | 'PNG', reason: string, cause?: unknown): VenturiError =>
  new VenturiError('VENTURI_BAD_RECORD', `A ${kind} image cannot be decoded: ${reason}.`, {
    remedy: 'Replace or leave out the file, or let the pipeline skip records that cannot be read.',
    cause,
  });

function brokenFile(name: string | undefined, error: unknown): unknown {
  if (name === undefined || !(error instanceof VenturiError) || error.code !== 'VENTURI_BAD_RECORD') return error;
  const { message, remedy, cause = error } = error;
  return new VenturiError(error.code, `${name}: ${message}`, { cause, ...(remedy !== undefined && { remedy }) });
}
