import type { Action } from '../../model/plan.ts';
import { plural, rate } from '../format.ts';
import { fileName } from '../paths.ts';
import { actionWords } from '../plan-words.ts';
import type { PlanComparison } from '../results/plan-comparison.ts';
import type { Report } from '../tree.ts';

/** Line one: in how much the plans differ. Then what each does to every operator, and what it was measured to bring. */
export function planComparisonReport({ plans, operators }: PlanComparison): Report {
  const different = operators.filter(({ same }) => !same).length;
  const names = plans.map(({ path }) => fileName(path));
  return [
    {
      type: 'verdict',
      text:
        different === 0
          ? `These plans change the same: ${plural(operators.length, 'operator')}`
          : `These plans differ in ${different} of ${plural(operators.length, 'operator')}`,
    },
    { type: 'heading', text: 'Changes' },
    {
      type: 'table',
      columns: [{ title: 'operator', align: 'left' }, ...names.map(title => ({ title, align: 'left' as const }))],
      rows: operators.map(({ operator, actions, same }) => [
        same ? operator : { text: operator, tone: 'accent' },
        ...actions.map(words),
      ]),
    },
    { type: 'heading', text: 'Rates', note: 'elements per second' },
    {
      type: 'table',
      columns: [
        { title: 'plan', align: 'left' },
        { title: 'cores', align: 'right' },
        { title: 'before', align: 'right' },
        { title: 'predicted', align: 'right' },
        { title: 'measured', align: 'right' },
      ],
      rows: plans.map(({ plan: { basis } }, at) => [
        names[at] ?? '',
        basis === undefined ? '' : String(basis.coresUsable),
        rate(basis?.before.estimate),
        rate(basis?.predicted?.estimate),
        rate(basis?.measured?.estimate),
      ]),
    },
  ];
}

const words = (actions: readonly Action[]): string =>
  actions
    .map(action => {
      const { less, more } = actionWords(action);
      return more ?? `no ${less ?? 'change'}`;
    })
    .join(', ');
