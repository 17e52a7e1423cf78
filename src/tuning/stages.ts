import { isOrigin } from '../analysis/origin.ts';
import { crossing, givingArrays, takingArrays } from '../prediction/bound/crossing.ts';
import type { ModelOperator } from './operator.ts';

/** Operators that will share a loop, and its cost per element that leaves the pipeline. */
export interface ModelStage {
  readonly operators: readonly ModelOperator[];
  readonly lanes: number;
  /** CPU seconds of its operators. */
  readonly cpu: number;
  readonly blocked: number;
  /** CPU seconds for handing elements to it and on from it, as reckoned, and for the typed arrays among them. */
  readonly crossing: number;
  readonly arrays: number;
  /** It could have several lanes. */
  readonly divisible: boolean;
}

/** A channel follows them. */
const ENDS = new Set(['prefetch', 'transport']);

/** Those that read from each operator. */
export function readersOf(operators: readonly ModelOperator[]): ReadonlyMap<string, readonly ModelOperator[]> {
  const readers = new Map<string, ModelOperator[]>();
  for (const operator of operators) {
    for (const input of operator.inputs) readers.set(input, [...(readers.get(input) ?? []), operator]);
  }
  return readers;
}

/** Which operators the engine will fuse: the rules of its compiler (ARCHITECTURE.md, Stages), on the same graph. */
export function cutStages(operators: readonly ModelOperator[]): ModelStage[] {
  const readers = readersOf(operators);
  const groups: { readonly members: ModelOperator[]; readonly lanes: number; readonly explicit: boolean }[] = [];
  const groupOf = new Map<string, (typeof groups)[number]>();
  for (const operator of operators) {
    const [input] = operator.inputs;
    const alone = input === undefined || isOrigin(operator) || (readers.get(input)?.length ?? 0) > 1;
    const before = alone ? undefined : groupOf.get(input);
    const wanted = operator.sequential ? undefined : operator.parallelism;
    const joins =
      before !== undefined &&
      !ENDS.has(before.members.at(-1)?.kind ?? '') &&
      (wanted === undefined ? !operator.sequential || before.lanes <= 1 : before.explicit && before.lanes === wanted);
    const group = joins ? before : { members: [], lanes: wanted ?? 1, explicit: wanted !== undefined };
    if (!joins) groups.push(group);
    group.members.push(operator);
    groupOf.set(operator.id, group);
  }
  return groups.map(({ members, lanes }) => ({
    operators: members,
    lanes,
    cpu: members.reduce((sum, { cpu }) => sum + cpu, 0),
    blocked: members.reduce((sum, { blocked }) => sum + blocked, 0),
    crossing: atEnds(members, operators, readers, crossing, crossing),
    arrays: atEnds(members, operators, readers, takingArrays, givingArrays),
    divisible: members.every(member => !member.sequential && !isOrigin(member)),
  }));
}

/** What handing elements to a stage and on from it costs. Every reader gets a copy. */
function atEnds(
  members: readonly ModelOperator[],
  operators: readonly ModelOperator[],
  readers: ReadonlyMap<string, readonly ModelOperator[]>,
  taken: (operator: ModelOperator) => number,
  given: (operator: ModelOperator) => number,
): number {
  const [first] = members;
  const last = members.at(-1);
  const arriving = operators
    .filter(({ id }) => first?.inputs.includes(id) === true)
    .reduce((sum, input) => sum + taken(input), 0);
  const leaving = last === undefined ? 0 : given(last) * Math.max(1, readers.get(last.id)?.length ?? 0);
  return arriving + leaving;
}
