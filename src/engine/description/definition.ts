import { caught, describeThrown } from '../../errors/thrown.ts';
import { VenturiError } from '../../model/errors.ts';
import { describe } from '../../model/option.ts';
import { completeParameters, guessParameters, type ParameterSpec } from './parameters.ts';
import { Pipeline } from './pipeline.ts';

/** What a pipeline module exports, reduced to what builds its graph: the same on the main thread and in workers. */
export interface Blueprint<P, T> {
  /** Undefined: a plain function, which takes what it is given. */
  readonly spec: ParameterSpec | undefined;
  build(params: P): Pipeline<T>;
}

/** Where a pipeline comes from: what workers import, and the file its author wrote where that is another. */
export interface Origin {
  readonly url: string;
  readonly path?: string;
}

/** A module's default export as a blueprint. */
export function blueprintOf(exported: unknown, path: string): Blueprint<Record<string, unknown>, unknown> {
  if (isBlueprint(exported)) return exported;
  if (exported instanceof Pipeline) return { spec: undefined, build: () => exported };
  if (typeof exported === 'function') return { spec: undefined, build: params => exported(params) };
  if (exported === undefined) {
    throw new VenturiError('VENTURI_NO_DEFAULT_EXPORT', `${path} has no default export`, {
      remedy: 'end it with: export default pipeline(import.meta, { n: 100 }, ({ n }) => range(n) …)',
    });
  }
  throw new VenturiError(
    'VENTURI_NOT_A_PIPELINE',
    `the default export of ${path} is of type ${typeof exported}, not a pipeline`,
    {
      remedy: 'export pipeline(import.meta, …), or a function that returns a pipeline',
    },
  );
}

const isBlueprint = (value: unknown): value is Blueprint<Record<string, unknown>, unknown> =>
  typeof value === 'object' && value !== null && 'spec' in value && 'build' in value;

/** In JavaScript nothing else tells who left the parameters out. */
function assertDeclared({ spec, build }: Readonly<Record<keyof Blueprint<never, unknown>, unknown>>): void {
  if (typeof build === 'function' && spec !== null && typeof spec !== 'function') return;
  throw new VenturiError('VENTURI_NOT_A_PIPELINE', 'pipeline() needs import.meta, parameters and a function', {
    remedy:
      'write pipeline(import.meta, {}, () => range(100) …), with { n: 100 } in place of {} where it has a parameter n',
  });
}

function buildOrExplain<P, T>(blueprint: Blueprint<P, T>, params: P): unknown {
  try {
    return blueprint.build(params);
  } catch (thrown) {
    const error = caught(thrown);
    if (error instanceof VenturiError) throw error;
    const what = describeThrown(error);
    throw new VenturiError('VENTURI_PIPELINE_IMPORT', `the function that builds the pipeline threw ${what}`, {
      cause: error,
      remedy: 'see the stack trace of the cause; nothing was run',
    });
  }
}

/** All parameters, checked: those given and the defaults of the others. Complete ones stay as they are. */
export const parametersOf = (
  { spec }: Pick<Blueprint<never, unknown>, 'spec'>,
  given: Readonly<Record<string, unknown>>,
): Record<string, unknown> => (spec === undefined ? guessParameters(given) : completeParameters(spec, given));

export function buildGraph<P, T>(blueprint: Blueprint<P, T>, given: Readonly<Record<string, unknown>>): Pipeline<T> {
  assertDeclared(blueprint);
  const built = buildOrExplain(blueprint, parametersOf(blueprint, given) as P);
  if (built instanceof Pipeline) return built;
  throw new VenturiError(
    'VENTURI_NOT_A_PIPELINE',
    `the pipeline's function returned ${describe(built)}, not a pipeline`,
    {
      remedy: 'return what range(), lines(), files() … and their operators give',
    },
  );
}
