import { DEPENDENCY_CAUSES, DEPENDENCY_RELATIONS, type StepTrace } from '../../model/step-trace.ts';
import { overlap, type Spans, spansOf, without } from './spans.ts';
import type { OpKinds } from './work.ts';

const LAUNCH = DEPENDENCY_CAUSES.indexOf('launch');
const SYNC = DEPENDENCY_CAUSES.indexOf('sync');
const END_END = DEPENDENCY_RELATIONS.indexOf('end-end');

/**
 * Operators that ask threads of a host for a collective, as `c10d::allreduce_` asks those of gloo, and those that wait for one. Until that is done
 * the first may not return, and the others do not.
 */
export function collectiveCalls({ dependencies }: StepTrace, kinds: OpKinds): ReadonlySet<number> {
  const calls = new Set<number>();
  const isPerformed = (op: number): boolean => kinds.work(op) === 'communication' && kinds.resource(op) === 'host';
  for (let at = 0; at < dependencies.count; at++) {
    const [from, to] = [dependencies.from[at] ?? 0, dependencies.to[at] ?? 0];
    const cause = dependencies.cause[at];
    if (cause === LAUNCH && isPerformed(to) && kinds.work(from) === 'operator') calls.add(from);
    const isAwaited = cause === SYNC && dependencies.relation[at] === END_END && isPerformed(from);
    if (isAwaited && kinds.work(to) === 'operator') calls.add(to);
  }
  return calls;
}

/** Time of a thread's operators without that in which a call among them, and nothing inside it, waits for communication. */
export function computedBy(
  trace: StepTrace,
  operators: readonly number[],
  calls: ReadonlySet<number>,
  communicating: Spans,
): Spans {
  const { parent } = trace.ops;
  const asking = spansOf(
    trace,
    operators.filter(op => calls.has(op)),
  );
  const inside = spansOf(
    trace,
    operators.filter(op => calls.has(parent[op] ?? -1)),
  );
  return without(spansOf(trace, operators), overlap(without(asking, inside), communicating));
}
