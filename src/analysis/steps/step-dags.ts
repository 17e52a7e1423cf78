import type { StepDag } from '../../model/step-dag.ts';
import { OP_WORK, type StepDependencies, type StepOps, type StepTrace } from '../../model/step-trace.ts';
import { dagOf } from './dag.ts';
import { type Outside, outsideOf } from './outside.ts';

const ANNOTATION = OP_WORK.indexOf('annotation');

/** DAGs of steps one by one: what belongs to each step is found once for all, so that many steps take no longer than their ops. */
export class StepDags {
  readonly #trace: StepTrace;
  /** By step: its ops without annotations, and the dependencies among them. */
  readonly #ops: readonly number[][];
  readonly #dependencies: readonly number[][];
  /** By op: its position among those of its step; -1 where it is in none. */
  readonly #position: Int32Array;
  readonly #outside: Outside;

  constructor(trace: StepTrace) {
    const { ops, dependencies, steps } = trace;
    this.#trace = trace;
    this.#ops = steps.map(() => []);
    this.#dependencies = steps.map(() => []);
    this.#position = new Int32Array(ops.count).fill(-1);
    for (let op = 0; op < ops.count; op++) {
      const own = this.#ops[ops.step[op] ?? -1];
      if (own !== undefined && ops.work[op] !== ANNOTATION) this.#position[op] = own.push(op) - 1;
    }
    for (let at = 0; at < dependencies.count; at++) {
      const [from, to] = [dependencies.from[at] ?? 0, dependencies.to[at] ?? 0];
      if (ops.step[from] !== ops.step[to] || this.#place(from) < 0 || this.#place(to) < 0) continue;
      this.#dependencies[ops.step[from] ?? -1]?.push(at);
    }
    this.#outside = outsideOf(trace, (one, other) => ops.step[one] !== ops.step[other] || this.#place(one) < 0);
  }

  /** The DAG of a step, by its position in the trace: as `stepDag` has it. */
  of(step: number): StepDag {
    const chosen = this.#ops[step] ?? [];
    const part = {
      ...this.#trace,
      ops: this.#opsOf(chosen, step),
      dependencies: this.#dependenciesOf(this.#dependencies[step] ?? []),
    };
    const { streamFree, awaited } = this.#outside;
    const dag = dagOf(part, new Uint8Array(chosen.length).fill(1), {
      streamFree: Float64Array.from(chosen, op => streamFree[op] ?? Number.NEGATIVE_INFINITY),
      awaited: Float64Array.from(chosen, op => awaited[op] ?? Number.NEGATIVE_INFINITY),
    });
    return { ...dag, op: dag.op.map(op => chosen[op] ?? 0) };
  }

  #opsOf(chosen: readonly number[], step: number): StepOps {
    const { ops } = this.#trace;
    const own = Uint32Array.from(chosen);
    const parentOf = (op: number): number => {
      const parent = ops.parent[op] ?? -1;
      return parent >= 0 && ops.step[parent] === step ? this.#place(parent) : -1;
    };
    return {
      count: own.length,
      names: ops.names,
      name: own.map(op => ops.name[op] ?? 0),
      work: Uint8Array.from(own, op => ops.work[op] ?? 0),
      resource: own.map(op => ops.resource[op] ?? 0),
      start: Float64Array.from(own, op => ops.start[op] ?? 0),
      duration: Float64Array.from(own, op => ops.duration[op] ?? 0),
      bytes: Float64Array.from(own, op => ops.bytes[op] ?? Number.NaN),
      step: new Int32Array(own.length).fill(step),
      parent: Int32Array.from(own, parentOf),
      collective: Int32Array.from(own, op => ops.collective[op] ?? -1),
      guessed: Uint8Array.from(own, op => ops.guessed[op] ?? 0),
    };
  }

  #dependenciesOf(own: readonly number[]): StepDependencies {
    const { from, to, cause, relation, guessed } = this.#trace.dependencies;
    return {
      count: own.length,
      from: Uint32Array.from(own, at => this.#place(from[at] ?? 0)),
      to: Uint32Array.from(own, at => this.#place(to[at] ?? 0)),
      cause: Uint8Array.from(own, at => cause[at] ?? 0),
      relation: Uint8Array.from(own, at => relation[at] ?? 0),
      guessed: Uint8Array.from(own, at => guessed[at] ?? 0),
    };
  }

  #place(op: number): number {
    return this.#position[op] ?? -1;
  }
}
