import type { Finding } from '../../src/findings/registry.ts';
import type { PipelineDiagnosis } from '../../src/report/results/diagnosis.ts';
import type { Selection } from '../link.ts';

/** When a stage with the finding's operators was the bottleneck, from the first time to the last; the steady part where it never was. */
export function findingRange(
  { segments, stages, steady }: Pick<PipelineDiagnosis, 'segments' | 'stages' | 'steady'>,
  { operators }: Pick<Finding, 'operators'>,
): Selection['range'] {
  const ids = new Set(stages.filter(stage => stage.operators.some(id => operators.includes(id))).map(({ id }) => id));
  // The kind of a place stands before its id: `vertex:decode`.
  const its = segments.filter(({ place }) => place !== undefined && ids.has(place.slice(place.indexOf(':') + 1)));
  const [first, last] = [its[0], its.at(-1)];
  if (first === undefined || last === undefined) return { from: steady.fromSeconds, to: steady.toSeconds };
  return { from: first.fromSeconds, to: last.toSeconds };
}
