import type { FindingOf } from '../../model/finding.ts';
import { share } from '../../model/units.ts';
import type { Analysis } from '../analysis.ts';

/** Always applies: what to say where nothing else does. */
export function unclear({ states }: Analysis): FindingOf<'unclear'> {
  const { nearest } = states;
  const vertex = nearest?.type === 'vertex' ? nearest.vertex : undefined;
  return {
    kind: 'unclear',
    limits: true,
    cause: { type: 'software' },
    operators: vertex?.operators.map(({ id }) => id) ?? [],
    figures: { nearest: vertex?.id ?? '', busy: share(nearest?.share ?? 0) },
    fix: { type: 'advice' },
    gain: undefined,
    doubts: [],
  };
}
