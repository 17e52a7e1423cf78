import type { Decoder } from '../../io/media/decoder.ts';
import { VenturiError } from '../../model/errors.ts';
import { badOption } from '../../model/option.ts';
import type { Source } from '../contract/source.ts';
import type { Operator } from '../operators/defined.ts';
import { registerKind } from '../operators/registry.ts';

/**
 * An operator of one's own, for `apply`. Its state lives in what `open` returns, and begins anew with every pass:
 *
 *     const distinct = <T>() =>
 *       defineOperator({
 *         kind: 'distinct',
 *         open() {
 *           const seen = new Set<T>();
 *           return { element: (x: T) => (seen.size < seen.add(x).size ? [x] : []) };
 *         },
 *       });
 *
 * Every worker imports the module that defines it, so it need not be sent anywhere.
 */
export function defineOperator<T, U>(operator: Operator<T, U>): Operator<T, U> {
  const {
    kind,
    settings,
    divisible = false,
    sink = false,
  } = checked('operator', operator, operator.open, 'open(worker)');
  if (divisible) registerKind(kind, sink ? 'divisible sink' : 'divisible operator');
  else registerKind(kind, sink ? 'sink' : 'operator in order');
  return checkedSettings(operator, kind, settings);
}

/** A source of one's own, for `from`. A generator is the shortest way: `*open({ epoch }) { yield … }`. */
export function defineSource<T>(source: Source<T>): Source<T> {
  const { kind, settings } = checked('source', source, source.open, 'open(context)');
  registerKind(kind, 'source');
  return checkedSettings(source, kind, settings);
}

/** A decoder of one's own, for `decode`. */
export function defineDecoder<T>(decoder: Decoder<T>): Decoder<T> {
  const { kind, magic, extensions } = checked('decoder', decoder, decoder.decode, 'decode(bytes)');
  if (magic === undefined && extensions === undefined) {
    throw badOption(`the decoder '${kind}' knows neither first bytes nor endings`, 'give it a magic or extensions');
  }
  const bare = extensions?.find(ending => !/^\.[^A-Z]+$/.test(ending));
  if (bare !== undefined) {
    throw badOption(
      `the decoder '${kind}' has the ending '${bare}'`,
      "write endings with their dot and in small letters: '.qoi'",
    );
  }
  return decoder;
}

function checked<D extends { readonly kind: string }>(what: string, defined: D, act: unknown, wanted: string): D {
  const kind: unknown = defined.kind;
  if (typeof kind !== 'string' || !/^[\p{L}_][\p{L}\p{N}_-]*$/u.test(kind)) {
    throw badOption(`'${String(kind)}' cannot be the kind of a ${what}`, 'use letters, digits, - and _');
  }
  if (typeof act === 'function') return defined;
  throw badOption(`the ${what} '${kind}' has no function ${wanted}`, `define it with ${wanted}`);
}

/** Settings stand in recordings, which are JSON. */
function checkedSettings<D>(defined: D, kind: string, settings: unknown): D {
  try {
    JSON.stringify(settings);
    return defined;
  } catch (cause) {
    throw new VenturiError(
      'VENTURI_BAD_OPTION',
      `the settings of '${kind}' are not plain data: ${(cause as Error).message}`,
      { cause, remedy: 'give numbers, text, arrays and objects; what else it needs it can close over' },
    );
  }
}
