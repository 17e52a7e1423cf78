import { sumOf } from '../../math/totals.ts';
import type { End } from '../../model/end.ts';
import type { Graph } from '../../model/graph.ts';
import { subject } from '../../model/record.ts';
import { growthOf, type Timeline } from '../timeline.ts';

/** How many epochs a run was asked for. */
export function epochsOf(graph: Graph): number {
  const repeats = graph.operators.find(({ epochs }) => epochs === true)?.repeats;
  return typeof repeats === 'number' ? repeats : 1;
}

/** ns since the start of the run; undefined: from its start, to its end. */
export interface EpochRange {
  readonly from: number | undefined;
  readonly to: number | undefined;
}

/** Halvings of the run's length: to a millionth of it. */
const STEPS = 20;

/**
 * The time of one epoch, from 1 on, of a run that came to its end: from when the ends of the pipeline had the elements of those before it until they had its own. All epochs have the same number of elements. Lanes upstream
 * are ahead of that by what channels hold.
 */
export function epochRange(timeline: Timeline, ends: readonly End[], epochs: number, epoch: number): EpochRange {
  const arrived = (moment: number): number =>
    sumOf(ends, ({ operator, counted }) => growthOf(timeline.lanes, subject.operator(operator), counted, 0, moment));
  const all = arrived(timeline.end);
  const whenPart = (part: number): number => {
    let [low, high] = [0, timeline.end];
    for (let step = 0; step < STEPS; step++) {
      const middle = (low + high) / 2;
      if (arrived(middle) < part * all) low = middle;
      else high = middle;
    }
    return high;
  };
  return {
    from: epoch === 1 ? undefined : whenPart((epoch - 1) / epochs),
    to: epoch === epochs ? undefined : whenPart(epoch / epochs),
  };
}
