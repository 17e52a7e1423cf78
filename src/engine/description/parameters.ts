import { VenturiError } from '../../model/errors.ts';
import { describe } from '../../model/option.ts';

/** Parameters by example: a default value, or `String`, `Number`, `Boolean` for one that must be given. */
export type ParameterSpec = Readonly<Record<string, ParameterDefault>>;
type ParameterDefault = string | number | boolean | StringConstructor | NumberConstructor | BooleanConstructor;

export type Parameters<S extends ParameterSpec> = {
  -readonly [K in keyof S]: S[K] extends string | StringConstructor
    ? string
    : S[K] extends number | NumberConstructor
      ? number
      : boolean;
};

/** Parameters as given, checked against the declaration and completed by its defaults. */
export function completeParameters(
  spec: ParameterSpec,
  given: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const unknown = Object.keys(given).find(name => !Object.hasOwn(spec, name));
  if (unknown !== undefined) {
    const names = Object.keys(spec);
    throw new VenturiError('VENTURI_BAD_PARAMETER', `this pipeline has no parameter '${unknown}'`, {
      remedy: names.length === 0 ? 'it takes none' : `it takes ${names.join(', ')}`,
    });
  }
  return Object.fromEntries(
    Object.entries(spec).map(([name, example]) => [name, completeParameter(name, example, given[name])]),
  );
}

function completeParameter(name: string, example: ParameterDefault, given: unknown): unknown {
  if (given === undefined) {
    if (typeof example !== 'function') return example;
    throw new VenturiError('VENTURI_BAD_PARAMETER', `parameter '${name}' must be given`, {
      remedy: `add --param ${name}=${example === Number ? '1' : example === Boolean ? 'true' : '…'}`,
    });
  }
  const wanted = typeof example === 'function' ? example.name.toLowerCase() : typeof example;
  const value = typeof given === 'string' ? parseAs(wanted, given) : given;
  if (typeof value === wanted && !Number.isNaN(value)) return value;
  throw new VenturiError(
    'VENTURI_BAD_PARAMETER',
    `parameter '${name}' is ${describe(given)}, which is not a ${wanted}`,
    {
      remedy: `give ${name} as a ${wanted}`,
    },
  );
}

function parseAs(wanted: string, text: string): unknown {
  if (wanted === 'number') return text.trim() === '' ? Number.NaN : Number(text.replaceAll('_', ''));
  if (wanted === 'boolean')
    return text === 'true' || text === '1' ? true : text === 'false' || text === '0' ? false : text;
  return text;
}

/** Numbers and booleans where the text looks like them: for pipelines that declare no parameters. */
export const guessParameters = (given: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(given).map(([name, value]) => [name, typeof value === 'string' ? guess(value) : value]),
  );

function guess(text: string): unknown {
  if (text === 'true' || text === 'false') return text === 'true';
  return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
}
