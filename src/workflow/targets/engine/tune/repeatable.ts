import { isDeepStrictEqual } from 'node:util';
import type { PipelineDefinition } from '../../../../engine/api/define.ts';
import type { Truncation } from '../../../../model/applied-plan.ts';

export interface RepeatableRequest {
  readonly params: Readonly<Record<string, unknown>>;
  /** Whose output is looked at. */
  readonly operator: string;
  readonly signal?: AbortSignal | undefined;
}

/** Elements that are made twice. A judgement: what differs from call to call differs among the first. */
const COMPARED = 64;

/**
 * Whether what comes out of an operator is the same when it is made again. That nothing was seen to be drawn is no proof:
 * the first elements are made twice, with different seeds. Where they differ, a clock, a file or a generator that nobody
 * saw had a hand in them.
 */
export async function isRepeatable<P, T>(
  definition: PipelineDefinition<P, T>,
  request: RepeatableRequest,
): Promise<boolean> {
  const first = await firstElements(definition, request, 1);
  return isDeepStrictEqual(first, await firstElements(definition, request, 2));
}

/** The first elements that leave an operator. */
export async function firstElements<P, T>(
  definition: PipelineDefinition<P, T>,
  { params, operator, signal }: RepeatableRequest,
  seed: number,
): Promise<unknown[]> {
  const actions: Truncation[] = [
    { kind: 'end', operator },
    { kind: 'sample', operator, elements: COMPARED },
  ];
  const elements: unknown[] = [];
  const run = definition.run({
    params: params as Partial<P>,
    plan: { shape: undefined, actions },
    trial: true,
    parallelism: 0,
    seed,
    ...(signal === undefined ? {} : { signal }),
  });
  for await (const element of run) elements.push(element);
  return elements;
}
