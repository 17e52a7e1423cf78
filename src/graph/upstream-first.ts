import type { Operator } from '../model/graph.ts';

/** Each behind all that it reads from; otherwise in the order given. */
export function upstreamFirst<T>(given: readonly T[], inputsOf: (each: T) => readonly T[]): T[] {
  const ordered: T[] = [];
  const seen = new Set<T>();
  const visit = (each: T): void => {
    if (seen.has(each)) return;
    seen.add(each);
    for (const input of inputsOf(each)) visit(input);
    ordered.push(each);
  };
  for (const each of given) visit(each);
  return ordered;
}

/** Inputs that are not among the operators are passed over. */
export function operatorsUpstreamFirst<T extends Operator>(operators: readonly T[]): T[] {
  const byId = new Map(operators.map(operator => [operator.id, operator]));
  return upstreamFirst(operators, ({ inputs }) => inputs.flatMap(input => byId.get(input) ?? []));
}
