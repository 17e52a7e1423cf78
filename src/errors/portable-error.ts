import { type ErrorCode, VenturiError } from '../model/errors.ts';
import { caught, causeOf, describeThrown, messageOf, nameOf, stackOf } from './thrown.ts';

/** An error on its way to another thread: class instances do not survive the crossing. */
export interface PortableError {
  readonly code?: ErrorCode | undefined;
  readonly name: string;
  readonly message: string;
  readonly stack?: string | undefined;
  readonly remedy?: string | undefined;
  readonly cause?: PortableError | undefined;
}

export function packError(thrown: unknown, depth = 0): PortableError {
  const error = caught(thrown);
  if (!(error instanceof Error)) return { name: 'thrown value', message: describeThrown(error) };
  const cause = causeOf(error);
  return {
    code: error instanceof VenturiError ? error.code : undefined,
    name: nameOf(error),
    message: messageOf(error),
    stack: stackOf(error),
    remedy: error instanceof VenturiError ? error.remedy : undefined,
    cause: cause === undefined || depth > 4 ? undefined : packError(cause, depth + 1),
  };
}

export function unpackError(packed: PortableError): Error {
  const cause = packed.cause === undefined ? undefined : unpackError(packed.cause);
  const error =
    packed.code === undefined
      ? Object.assign(new Error(packed.message, { cause }), { name: packed.name })
      : new VenturiError(packed.code, packed.message, {
          ...(packed.remedy === undefined ? {} : { remedy: packed.remedy }),
          ...(cause === undefined ? {} : { cause }),
        });
  if (packed.stack !== undefined) error.stack = packed.stack;
  return error;
}
