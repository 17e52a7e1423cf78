import type { Action } from '../../model/plan.ts';
import type { ComparedChange } from '../../tuning/comparison.ts';
import { heading } from '../blocks.ts';
import { figures, names, table } from '../columns.ts';
import { plural, rate } from '../format.ts';
import { fileName } from '../paths.ts';
import { actionWords } from '../plan-words.ts';
import type { PlanComparison } from '../results/plan-comparison.ts';
import type { Report } from '../tree.ts';

/** Line one: the number of operators in which plans differ. Then the changes by operator, and the measured rates. */
export function planComparisonReport({ plans, operators }: PlanComparison): Report {
  const different = operators.filter(({ same }) => !same).length;
  return [
    {
      type: 'verdict',
      text:
        different === 0
          ? `These plans change the same: ${plural(operators.length, 'operator')}`
          : `These plans differ in ${different} of ${plural(operators.length, 'operator')}`,
    },
    heading('Changes'),
    table(operators, [
      names('operator', ({ operator, same }) => (same ? operator : { text: operator, tone: 'accent' })),
      ...plans.map(({ path }, at) => names(fileName(path), ({ actions }: ComparedChange) => words(actions[at] ?? []))),
    ]),
    heading('Rates', 'elements per second'),
    table(plans, [
      names('plan', ({ path }) => fileName(path)),
      figures('cores', ({ plan: { basis } }) => (basis === undefined ? '' : String(basis.coresUsable))),
      figures('before', ({ plan: { basis } }) => rate(basis?.before.estimate)),
      figures('predicted', ({ plan: { basis } }) => rate(basis?.predicted?.estimate)),
      figures('measured', ({ plan: { basis } }) => rate(basis?.measured?.estimate)),
    ]),
  ];
}

const words = (actions: readonly Action[]): string =>
  actions
    .map(action => {
      const { less, more } = actionWords(action);
      return more ?? `no ${less ?? 'change'}`;
    })
    .join(', ');
