import type { ExecutionPlan } from '../../compile/stages.ts';
import { sharedKeepersOf, wholeElements } from '../../compile/whole-batches.ts';
import { compare } from '../books/position.ts';
import type { OperatorStart, RecoveryLine } from './journal-entry.ts';

/**
 * Batches that lanes would make of whole chunks, but that were saved half-made, or that have already had elements which come again, as a repeat in lanes may
 * have. They resume in one lane, which sees all elements in order.
 */
export const unfinishedBatches = (plan: ExecutionPlan, { operators }: RecoveryLine): readonly string[] =>
  plan.stages.flatMap((stage, at) => {
    let whole = wholeElements(plan, at);
    return sharedKeepersOf(stage)
      .toReversed()
      .flatMap(position => {
        const { id = '', operator } = stage.nodes[position] ?? {};
        whole *= operator?.gathers ?? 1;
        return isBetweenBatches(operators[id], whole, operator?.gathers !== undefined) ? [] : [id];
      });
  });

function isBetweenBatches(start: OperatorStart | undefined, whole: number, keeps: boolean): boolean {
  if (start === undefined) return true;
  const [input] = start.inputs;
  if ((keeps && start.state !== undefined) || input === undefined) return false;
  return compare(input.from, input.until) === 0 && input.from.index % whole === 0;
}
