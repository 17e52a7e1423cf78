import { badOption, wholeNumber } from '../../model/option.ts';
import { CallPlace } from '../compile/call-place.ts';
import { bareNode, type Node } from '../compile/node.ts';
import { checkedName } from './checks.ts';
import { checkOptions } from './known-options.ts';
import type { OperatorOptions } from './operator-options.ts';
import { Pipeline } from './pipeline.ts';

type Pipelines = readonly Pipeline<unknown>[];
type ElementOf<P> = P extends Pipeline<infer T> ? T : never;

/** Arrays of one element from each pipeline, as many as the shortest of them has. */
export const zip = <const P extends Pipelines>(
  pipelines: P,
  options: OperatorOptions = {},
): Pipeline<{ -readonly [K in keyof P]: ElementOf<P[K]> }> => join('zip', pipelines, {}, options);

/** All elements of the first pipeline, then all of the second … */
export const concat = <const P extends Pipelines>(
  pipelines: P,
  options: OperatorOptions = {},
): Pipeline<ElementOf<P[number]>> => join('concat', pipelines, {}, options);

/**
 * `block` elements of each pipeline in turn; one that is used up is passed over. A pipeline that ends in a sink has no
 * turn: it runs beside the others.
 */
export const merge = <const P extends Pipelines>(
  pipelines: P,
  options: OperatorOptions & { readonly block?: number } = {},
): Pipeline<ElementOf<P[number]>> =>
  join('merge', pipelines, { block: wholeNumber('merge', 'block', options.block ?? 1, 1) }, options);

function join<T>(
  kind: string,
  pipelines: Pipelines,
  settings: Readonly<Record<string, unknown>>,
  options: OperatorOptions,
): Pipeline<T> {
  checkOptions(kind, options);
  const inputs = [...pipelines].map((pipeline: unknown, port): Node => {
    if (pipeline instanceof Pipeline) return pipeline.node;
    throw badOption(
      `${kind}: input ${port + 1} is not a pipeline`,
      'give an array of what range(), lines(), files() … and their operators return',
    );
  });
  if (inputs.length === 0) {
    throw badOption(`${kind}: there is nothing to read from`, 'give at least one pipeline');
  }
  return new Pipeline<T>({
    ...bareNode(kind, inputs, settings),
    name: checkedName(options.name),
    at: new CallPlace(),
  });
}
