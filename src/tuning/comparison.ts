import type { Action, PipelinePlan } from '../model/plan.ts';

/** What plans do to one operator; nothing where a plan leaves it alone. */
export interface ComparedChange {
  readonly operator: string;
  /** One list per plan. */
  readonly actions: readonly (readonly Action[])[];
  readonly same: boolean;
}

/** Plans side by side, operator by operator, in the order in which they first appear. */
export function compareActions(plans: readonly PipelinePlan[]): ComparedChange[] {
  const operators = [...new Set(plans.flatMap(({ changes }) => changes.map(({ action }) => action.operator)))];
  return operators.map(operator => {
    const actions = plans.map(({ changes }) =>
      changes.flatMap(({ action }) => (action.operator === operator ? [action] : [])),
    );
    const texts = actions.map(each => JSON.stringify(each));
    return { operator, actions, same: texts.every(text => text === texts[0]) };
  });
}
