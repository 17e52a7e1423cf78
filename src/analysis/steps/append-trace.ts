import { DEPENDENCY_CAUSES, DEPENDENCY_RELATIONS, OP_WORK, type StepTrace } from '../../model/step-trace.ts';
import type { StepTraceBuilder } from '../../model/step-trace-builder.ts';

/** Where a trace stands in another that it becomes a part of. */
export interface Placing {
  /** Position of its first rank there. */
  readonly rank: number;
  /** By its own resources: their positions there. */
  readonly resources: readonly number[];
  /** ns that its times are moved by. */
  readonly shift: number;
  /** What the numbers of its steps are raised by. */
  readonly numberShift: number;
}

/** Adds a trace to one that is put together, all but its ranks and resources, with what it refers to numbered anew. */
export function appendTrace(
  builder: StepTraceBuilder,
  trace: StepTrace,
  { rank, resources, shift, numberShift }: Placing,
): void {
  const { ops, dependencies } = trace;
  const steps = trace.steps.map(step =>
    builder.step({
      ...step,
      rank: rank + step.rank,
      number: step.number + numberShift,
      start: step.start + shift,
    }),
  );
  const collectives = trace.collectives.map(each => builder.collective(each));
  const numbers = new Uint32Array(ops.count);
  for (let op = 0; op < ops.count; op++) {
    const parent = ops.parent[op] ?? -1;
    numbers[op] = builder.op({
      name: ops.names[ops.name[op] ?? 0] ?? '',
      work: OP_WORK[ops.work[op] ?? 0] ?? 'other',
      resource: resources[ops.resource[op] ?? 0] ?? 0,
      start: (ops.start[op] ?? 0) + shift,
      duration: ops.duration[op] ?? 0,
      bytes: ops.bytes[op],
      step: steps[ops.step[op] ?? -1] ?? -1,
      parent: parent < 0 ? -1 : numbers[parent],
      collective: collectives[ops.collective[op] ?? -1] ?? -1,
      guessed: ops.guessed[op] === 1,
    });
  }
  for (let at = 0; at < dependencies.count; at++) {
    builder.dependency(
      numbers[dependencies.from[at] ?? 0] ?? 0,
      numbers[dependencies.to[at] ?? 0] ?? 0,
      DEPENDENCY_CAUSES[dependencies.cause[at] ?? 0] ?? 'given',
      {
        relation: DEPENDENCY_RELATIONS[dependencies.relation[at] ?? 0],
        guessed: dependencies.guessed[at] === 1,
      },
    );
  }
  for (const { what, count, of } of trace.counted) builder.assume(what, count, of);
  if (trace.unmarked !== undefined) builder.unmarked(trace.unmarked.candidates);
}
