import { type ErrorCode, VenturiError } from '../../model/errors.ts';

/** An error on its way from a worker: class instances do not survive the crossing. */
export interface PortableError {
  readonly code: ErrorCode | undefined;
  readonly name: string;
  readonly message: string;
  readonly stack: string | undefined;
  readonly remedy: string | undefined;
  readonly cause: PortableError | undefined;
}

export function packError(error: unknown, depth = 0): PortableError {
  if (!(error instanceof Error)) {
    return {
      code: undefined,
      name: 'thrown value',
      message: String(error),
      stack: undefined,
      remedy: undefined,
      cause: undefined,
    };
  }
  return {
    code: error instanceof VenturiError ? error.code : undefined,
    name: error.name,
    message: error.message,
    stack: error.stack,
    remedy: error instanceof VenturiError ? error.remedy : undefined,
    cause: error.cause === undefined || depth > 4 ? undefined : packError(error.cause, depth + 1),
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

/** A user function threw: says where, and keeps what it threw. */
export function userFunctionFailed(
  operator: { readonly id: string; readonly location: string | undefined } | undefined,
  stage: string,
  index: number | undefined,
  cause: unknown,
): VenturiError {
  if (cause instanceof VenturiError) return cause;
  const where = operator === undefined ? `a function of stage '${stage}'` : `'${operator.id}'`;
  const element = index === undefined ? '' : ` on element ${index}`;
  const what = cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause);
  return new VenturiError('VENTURI_USER_FUNCTION', `${where} threw${element}: ${what}`, {
    cause,
    remedy:
      operator?.location === undefined
        ? 'see the stack trace of the cause'
        : `the operator stands at ${operator.location}`,
  });
}
