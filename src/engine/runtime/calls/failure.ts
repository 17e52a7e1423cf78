import { caught, describeThrown } from '../../../errors/thrown.ts';
import { VenturiError } from '../../../model/errors.ts';
import { type Kind, kindText } from '../../../model/kind.ts';

type Placed = { readonly id: string; readonly kind: Kind; readonly location?: string | undefined };

/** A user function threw: says where, and keeps what it threw. */
export function userFunctionFailed(
  operator: Placed | undefined,
  stage: string,
  index: number | undefined,
  thrown: unknown,
): VenturiError {
  const cause = caught(thrown);
  if (cause instanceof VenturiError) return broken(operator, index, cause);
  const where = operator === undefined ? `a function of stage '${stage}'` : `'${operator.id}'`;
  const element = index === undefined ? '' : ` on element ${index}`;
  const what = describeThrown(cause);
  return new VenturiError('VENTURI_USER_FUNCTION', `${where} threw${element}: ${what}`, {
    cause,
    remedy:
      operator?.location === undefined
        ? 'see the stack trace of the cause'
        : `the operator stands at ${operator.location}`,
  });
}

/** Data that a function of ours could not use: which element it was is not known to it. */
function broken(operator: Placed | undefined, index: number | undefined, error: VenturiError): VenturiError {
  if (operator === undefined || index === undefined || !isOfData(error)) return error;
  // It may read a part of a source, whose number means nothing to anybody; the source says where the record lies.
  if (kindText(operator.kind) === 'flatMap') return error;
  const { code, message, remedy, cause = error } = error;
  return new VenturiError(code, `'${operator.id}' failed on element ${index}: ${message}`, { cause, remedy });
}

/** It is about an element, and not about the engine or what it was told. */
export const isOfData = ({ code }: VenturiError): boolean =>
  code === 'VENTURI_BAD_RECORD' || code === 'VENTURI_SOURCE_UNREADABLE' || code === 'VENTURI_NOT_CLONEABLE';

/** A function that is not declared async returned a promise: its value would go on unawaited. */
export function promiseReturned(operator: Placed | undefined, index: number | undefined): VenturiError {
  const element = index === undefined ? '' : ` on element ${index}`;
  const what = `'${operator?.id}' returned a promise${element}`;
  const kind = operator === undefined ? undefined : kindText(operator.kind);
  if (kind !== undefined && kind !== 'map' && kind !== 'forEach') {
    return new VenturiError('VENTURI_PROMISE_RETURNED', `${what}, and a ${kind} does not wait for one`, {
      remedy: `do what is async in an async map before it`,
    });
  }
  return new VenturiError('VENTURI_PROMISE_RETURNED', `${what}, but its function is not declared async`, {
    remedy: 'declare it async, so that the engine awaits its calls, several at a time',
  });
}

export const cannotBeSent = (operator: string, error: VenturiError): VenturiError =>
  error.cause instanceof VenturiError
    ? error
    : new VenturiError(error.code, `what '${operator}' gives cannot be sent on: ${error.message}`, {
        cause: error,
        remedy: error.remedy,
      });

/** The operator that gave what cannot be sent, where that is why a run failed. */
export const whoseCannotBeSent = (error: VenturiError): string | undefined =>
  error.code === 'VENTURI_NOT_CLONEABLE' ? /^what '(.+?)' gives cannot be sent on/.exec(error.message)?.[1] : undefined;

/** What several read has to wait for the slowest of them, and that is more than there is room for. */
export const waysTooFarApart = (parted: string, budget: number): VenturiError =>
  new VenturiError(
    'VENTURI_BUDGET_TOO_SMALL',
    `several operators read from '${parted}', and one of them falls so far behind that more than ${Math.floor(budget / 2 ** 20)} MiB would have to wait for it`,
    {
      remedy:
        'allow more memory (--memory), let the ways run less far apart (a skip, a batch or a shuffle on one of them), or build what lies before them twice',
    },
  );
