import { DEPENDENCY_CAUSES, type StepTrace } from '../../model/step-trace.ts';
import { overlap, type Spans, spansOf, without } from './spans.ts';
import type { OpKinds } from './work.ts';

const LAUNCH = DEPENDENCY_CAUSES.indexOf('launch');

/** Operators that ask threads of a host for a collective, as `c10d::allreduce_` asks those of gloo. Until that is done they may not return. */
export function collectiveCalls({ dependencies }: StepTrace, kinds: OpKinds): ReadonlySet<number> {
  const calls = new Set<number>();
  for (let at = 0; at < dependencies.count; at++) {
    const [from, to] = [dependencies.from[at] ?? 0, dependencies.to[at] ?? 0];
    const isPerformed = kinds.work(to) === 'communication' && kinds.resource(to) === 'host';
    if (dependencies.cause[at] === LAUNCH && isPerformed && kinds.work(from) === 'operator') calls.add(from);
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
