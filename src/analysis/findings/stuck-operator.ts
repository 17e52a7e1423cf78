import { ns } from '../../model/units.ts';
import type { Detector } from './narrow.ts';

/** A function that does not return. Whatever else the recording shows, it shows how the others wait for it. */
export const stuckOperator: Detector<'stuck-operator'> = ({ stuck, durationNs }) => {
  const [first] = stuck.toSorted((a, b) => a.since - b.since);
  if (first === undefined) return undefined;
  const { operators, element, elements, since } = first;
  return {
    kind: 'stuck-operator',
    limits: true,
    cause: { type: 'software' },
    operators,
    figures: { element, elements: elements ?? 1, since: ns(since), duration: ns(Math.max(0, durationNs - since)) },
    fix: { type: 'advice' },
    gain: undefined,
    doubts: [],
  };
};
