import { GrowingColumn } from './growing-column.ts';
import {
  type Collective,
  DEPENDENCY_CAUSES,
  DEPENDENCY_RELATIONS,
  type DependencyCause,
  type DependencyRelation,
  OP_WORK,
  type OpWork,
  type StepAssumption,
  type StepDependencies,
  type StepOps,
  type StepRank,
  type StepResource,
  type StepTrace,
  type TrainingStep,
} from './step-trace.ts';

/** An op as an importer meets it, in any order. */
export interface NewOp {
  readonly name: string;
  readonly work: OpWork;
  readonly resource: number;
  readonly start: number;
  readonly duration: number;
  readonly bytes?: number | undefined;
  /** As `step` returned it. */
  readonly step?: number | undefined;
  readonly parent?: number | undefined;
  readonly collective?: number | undefined;
  readonly guessed?: boolean | undefined;
}

/** Puts a trace together, op by op. Numbers it returns are good for its own methods; in the trace ops are in order of start. */
export class StepTraceBuilder {
  readonly #ranks: StepRank[] = [];
  readonly #resources: StepResource[] = [];
  readonly #steps: TrainingStep[] = [];
  readonly #collectives: Collective[] = [];
  readonly #counted: StepAssumption[] = [];
  #candidates: Set<string> | undefined;
  readonly #names: string[] = [];
  readonly #numberOfName = new Map<string, number>();
  readonly #name = new GrowingColumn(Uint32Array);
  readonly #work = new GrowingColumn(Uint8Array);
  readonly #resource = new GrowingColumn(Uint32Array);
  readonly #start = new GrowingColumn(Float64Array);
  readonly #duration = new GrowingColumn(Float64Array);
  readonly #bytes = new GrowingColumn(Float64Array);
  readonly #step = new GrowingColumn(Int32Array);
  readonly #parent = new GrowingColumn(Int32Array);
  readonly #collective = new GrowingColumn(Int32Array);
  readonly #guessedOp = new GrowingColumn(Uint8Array);
  readonly #from = new GrowingColumn(Uint32Array);
  readonly #to = new GrowingColumn(Uint32Array);
  readonly #cause = new GrowingColumn(Uint8Array);
  readonly #relation = new GrowingColumn(Uint8Array);
  readonly #guessed = new GrowingColumn(Uint8Array);

  rank(rank: StepRank): number {
    return this.#ranks.push(rank) - 1;
  }

  resource(resource: StepResource): number {
    return this.#resources.push(resource) - 1;
  }

  /** In order of rank, then of time. */
  step(step: TrainingStep): number {
    return this.#steps.push(step) - 1;
  }

  collective(collective: Collective): number {
    return this.#collectives.push(collective) - 1;
  }

  /** Says what was concluded or left out; nothing where it never happened. */
  assume(what: string, count: number, of: number): void {
    const known = this.#counted.findIndex(each => each.what === what);
    const { count: counted = 0, of: among = 0 } = this.#counted[known] ?? {};
    const all = { what, count: counted + count, of: among + of };
    if (known >= 0) this.#counted[known] = all;
    else this.#counted.push(all);
  }

  /** Says that nothing marks steps, and which annotations could. */
  unmarked(candidates: readonly string[]): void {
    this.#candidates = new Set([...(this.#candidates ?? []), ...candidates]);
  }

  op(op: NewOp): number {
    this.#name.push(this.#nameNumber(op.name));
    this.#work.push(OP_WORK.indexOf(op.work));
    this.#resource.push(op.resource);
    this.#start.push(op.start);
    this.#duration.push(op.duration);
    this.#bytes.push(op.bytes ?? Number.NaN);
    this.#step.push(op.step ?? -1);
    this.#parent.push(op.parent ?? -1);
    this.#collective.push(op.collective ?? -1);
    this.#guessedOp.push(op.guessed === true ? 1 : 0);
    return this.#name.length - 1;
  }

  dependency(
    from: number,
    to: number,
    cause: DependencyCause,
    { relation = 'end-start', guessed = false }: { relation?: DependencyRelation | undefined; guessed?: boolean } = {},
  ): void {
    this.#from.push(from);
    this.#to.push(to);
    this.#cause.push(DEPENDENCY_CAUSES.indexOf(cause));
    this.#relation.push(DEPENDENCY_RELATIONS.indexOf(relation));
    this.#guessed.push(guessed ? 1 : 0);
  }

  build(source: string, base: string): StepTrace {
    const order = this.#order();
    const place = order && inverse(order);
    return {
      source,
      base,
      ranks: this.#ranks,
      resources: this.#resources,
      steps: this.#steps,
      ops: this.#ops(order, place),
      dependencies: this.#dependencies(place),
      collectives: this.#collectives,
      assumptions: this.#counted.filter(({ count }) => count > 0),
      counted: this.#counted,
      ...(this.#candidates && { unmarked: { candidates: [...this.#candidates] } }),
    };
  }

  #nameNumber(name: string): number {
    const known = this.#numberOfName.get(name);
    if (known !== undefined) return known;
    const number = this.#names.push(name) - 1;
    this.#numberOfName.set(name, number);
    return number;
  }

  /** Ops by start, the longest first; undefined where they were met in that order. */
  #order(): Uint32Array | undefined {
    const [start, duration] = [this.#start.done(), this.#duration.done()];
    const compare = (a: number, b: number): number =>
      (start[a] ?? 0) - (start[b] ?? 0) || (duration[b] ?? 0) - (duration[a] ?? 0) || a - b;
    let isSorted = true;
    for (let op = 1; op < start.length && isSorted; op++) isSorted = compare(op - 1, op) < 0;
    return isSorted ? undefined : Uint32Array.from(start.keys()).sort(compare);
  }

  #ops(order: Uint32Array | undefined, place: Uint32Array | undefined): StepOps {
    const parent = this.#parent.done(order);
    if (place !== undefined) {
      for (let op = 0; op < parent.length; op++) {
        const enclosing = parent[op] ?? -1;
        if (enclosing >= 0) parent[op] = place[enclosing] ?? -1;
      }
    }
    return {
      count: this.#name.length,
      names: this.#names,
      name: this.#name.done(order),
      work: this.#work.done(order),
      resource: this.#resource.done(order),
      start: this.#start.done(order),
      duration: this.#duration.done(order),
      bytes: this.#bytes.done(order),
      step: this.#step.done(order),
      parent,
      collective: this.#collective.done(order),
      guessed: this.#guessedOp.done(order),
    };
  }

  #dependencies(place: Uint32Array | undefined): StepDependencies {
    const [from, to] = [this.#from.done(), this.#to.done()];
    if (place !== undefined) {
      for (let at = 0; at < from.length; at++) {
        from[at] = place[from[at] ?? 0] ?? 0;
        to[at] = place[to[at] ?? 0] ?? 0;
      }
    }
    return {
      count: from.length,
      from,
      to,
      cause: this.#cause.done(),
      relation: this.#relation.done(),
      guessed: this.#guessed.done(),
    };
  }
}

function inverse(order: Uint32Array): Uint32Array {
  const place = new Uint32Array(order.length);
  for (let at = 0; at < order.length; at++) place[order[at] ?? 0] = at;
  return place;
}
