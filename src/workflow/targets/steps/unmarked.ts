import { sumOf } from '../../../math/totals.ts';
import type { StepTrace } from '../../../model/step-trace.ts';
import type { Warning } from '../../../model/warnings.ts';
import { plural, time } from '../../../report/format.ts';

/** That nothing marks the steps of a trace, what was taken as one, and what could mark them. */
export function unmarkedWarnings(name: string, { unmarked, steps }: StepTrace): Warning[] {
  if (unmarked === undefined) return [];
  const own = steps.filter(({ rank }) => rank === 0);
  const length = time(sumOf(own, ({ duration }) => duration) / own.length);
  const taken =
    own.length === 1
      ? `all of it, ${length}, is taken as one step`
      : `each of its ${plural(own.length, 'file')}, ${length} in the mean, is taken as one step`;
  const remedy =
    unmarked.candidates.length === 0
      ? 'no annotation in it recurs that could mark them: call prof.step() after each step'
      : `--step-marker NAME takes the annotations around each step instead; those that recur: ${unmarked.candidates.join(', ')}`;
  return [
    {
      code: 'VENTURI_WARN_STEPS_UNMARKED',
      message: `${name} has no marks of steps, as prof.step() makes them: ${taken}. What one step takes is then not known; ${remedy}.`,
    },
  ];
}
