import type { Operator } from '../model/graph.ts';

/** Each behind all that it reads from; otherwise in the order given. */
export function upstreamFirst<T>(given: readonly T[], inputsOf: (each: T) => readonly T[]): T[] {
  const ordered: T[] = [];
  const seen = new Set<T>();
  // No recursion: a graph may be a chain of any length.
  const open: { readonly each: T; readonly inputs: Iterator<T> }[] = [];
  const enter = (each: T): void => {
    if (seen.has(each)) return;
    seen.add(each);
    open.push({ each, inputs: inputsOf(each)[Symbol.iterator]() });
  };
  for (const each of given) {
    enter(each);
    for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
      const input = top.inputs.next();
      if (input.done !== true) {
        enter(input.value);
        continue;
      }
      ordered.push(top.each);
      open.pop();
    }
  }
  return ordered;
}

/** Inputs that are not among the operators are passed over. */
export function operatorsUpstreamFirst<T extends Operator>(operators: readonly T[]): T[] {
  const byId = new Map(operators.map(operator => [operator.id, operator]));
  return upstreamFirst(operators, ({ inputs }) => inputs.flatMap(input => byId.get(input) ?? []));
}
