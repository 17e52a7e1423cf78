import { VenturiError } from '../../model/errors.ts';
import { GrowingColumn } from '../../model/growing-column.ts';
import type { StepDag } from '../../model/step-dag.ts';
import { DEPENDENCY_CAUSES, DEPENDENCY_RELATIONS, OP_WORK, type StepTrace } from '../../model/step-trace.ts';
import { type Outside, outsideOf } from './outside.ts';
import { type Pieces, piecesOf } from './pieces.ts';

const ANNOTATION = OP_WORK.indexOf('annotation');
const START_START = DEPENDENCY_RELATIONS.indexOf('start-start');
const END_END = DEPENDENCY_RELATIONS.indexOf('end-end');
const LAUNCH = DEPENDENCY_CAUSES.indexOf('launch');
const STREAM = DEPENDENCY_CAUSES.indexOf('stream');
const THREAD = DEPENDENCY_CAUSES.indexOf('thread');

/** The DAG of some steps together, by their positions in the trace. Dependencies on ops of other steps are left out, and the waiting for these with them. */
export function stepDag(trace: StepTrace, steps: readonly number[]): StepDag {
  const wanted = new Uint8Array(trace.steps.length);
  for (const step of steps) wanted[step] = 1;
  const { count, step, work } = trace.ops;
  const chosen = new Uint8Array(count);
  for (let op = 0; op < count; op++) {
    const at = step[op] ?? -1;
    if (at >= 0 && wanted[at] === 1 && work[op] !== ANNOTATION) chosen[op] = 1;
  }
  return dagOf(trace, chosen);
}

/** The DAG of chosen ops: `chosen` has a 1 for each. */
export function dagOf(
  trace: StepTrace,
  chosen: Uint8Array,
  outside: Outside = outsideOf(trace, one => chosen[one] !== 1),
): StepDag {
  const pieces = piecesOf(trace, chosen, outside.awaited);
  const edges = edgesOf(trace, chosen, pieces);
  const dag = numbered(trace, pieces, edges, outside.streamFree);
  refuseCycles(trace, dag);
  return dag;
}

interface Edges {
  readonly from: Uint32Array;
  readonly to: Uint32Array;
  readonly cause: Uint8Array;
}

function edgesOf({ resources, ops, dependencies }: StepTrace, chosen: Uint8Array, pieces: Pieces): Edges {
  const [from, to, cause] = [
    new GrowingColumn(Uint32Array),
    new GrowingColumn(Uint32Array),
    new GrowingColumn(Uint8Array),
  ];
  const add = (before: number, after: number, why: number): void => {
    from.push(before);
    to.push(after);
    cause.push(why);
  };
  for (let piece = 1; piece < pieces.op.length; piece++) {
    if (pieces.follows[piece] !== 1) continue;
    const resource = resources[ops.resource[pieces.op[piece] ?? 0] ?? 0];
    add(piece - 1, piece, resource?.kind === 'host' ? THREAD : STREAM);
  }
  for (let at = 0; at < dependencies.count; at++) {
    const [one, other] = [dependencies.from[at] ?? 0, dependencies.to[at] ?? 0];
    if (chosen[one] !== 1 || chosen[other] !== 1) continue;
    const relation = dependencies.relation[at];
    const before = (relation === START_START ? pieces.launching : pieces.last)[one] ?? -1;
    const after = (relation === END_END ? pieces.resuming : pieces.first)[other] ?? -1;
    add(before, after, dependencies.cause[at] ?? 0);
  }
  return { from: from.done(), to: to.done(), cause: cause.done() };
}

/** Nodes in order of their recorded start, and who waits for whom. */
function numbered({ ops }: StepTrace, pieces: Pieces, edges: Edges, streamFree: Float64Array): StepDag {
  const count = pieces.op.length;
  const order = Uint32Array.from(pieces.op.keys()).sort(
    (a, b) => (pieces.start[a] ?? 0) - (pieces.start[b] ?? 0) || a - b,
  );
  const number = new Uint32Array(count);
  for (const [at, piece] of order.entries()) number[piece] = at;

  const dependentsFrom = new Uint32Array(count + 1);
  const waitsFor = new Uint32Array(count);
  for (let edge = 0; edge < edges.from.length; edge++) {
    const from = number[edges.from[edge] ?? 0] ?? 0;
    const to = number[edges.to[edge] ?? 0] ?? 0;
    dependentsFrom[from + 1] = (dependentsFrom[from + 1] ?? 0) + 1;
    waitsFor[to] = (waitsFor[to] ?? 0) + 1;
  }
  for (let node = 0; node < count; node++) {
    dependentsFrom[node + 1] = (dependentsFrom[node + 1] ?? 0) + (dependentsFrom[node] ?? 0);
  }
  const next = dependentsFrom.slice(0, count);
  const [dependents, cause] = [new Uint32Array(edges.from.length), new Uint8Array(edges.from.length)];
  for (let edge = 0; edge < edges.from.length; edge++) {
    const from = number[edges.from[edge] ?? 0] ?? 0;
    const at = next[from] ?? 0;
    next[from] = at + 1;
    dependents[at] = number[edges.to[edge] ?? 0] ?? 0;
    cause[at] = edges.cause[edge] ?? 0;
  }

  const column = <C extends Uint32Array | Float64Array>(
    make: new (length: number) => C,
    of: (piece: number) => number,
  ): C => {
    const values = new make(count);
    for (let at = 0; at < count; at++) values[at] = of(order[at] ?? 0);
    return values;
  };
  const opOf = (piece: number): number => pieces.op[piece] ?? 0;
  const dag = {
    count,
    op: column(Uint32Array, opOf),
    resource: column(Uint32Array, piece => ops.resource[opOf(piece)] ?? 0),
    work: column(Float64Array, piece => pieces.work[piece] ?? 0),
    bytes: column(Float64Array, piece =>
      pieces.first[opOf(piece)] === piece ? (ops.bytes[opOf(piece)] ?? Number.NaN) : Number.NaN,
    ),
    start: column(Float64Array, piece => pieces.start[piece] ?? 0),
    end: column(Float64Array, piece => pieces.end[piece] ?? 0),
    waitsFor,
    dependentsFrom,
    dependents,
    cause,
  };
  return { ...dag, delay: launchDelays(dag, streamFree) };
}

/** For each edge of a launch that came last of all that a node waited for, in its stream also on ops outside: how much later the node started. */
function launchDelays(
  { count, op, start, end, dependentsFrom, dependents, cause }: Omit<StepDag, 'delay'>,
  streamFree: Float64Array,
): Float64Array {
  const latest = Float64Array.from(op, one => streamFree[one] ?? Number.NEGATIVE_INFINITY);
  const edge = new Int32Array(count).fill(-1);
  for (let node = 0; node < count; node++) {
    const to = dependentsFrom[node + 1] ?? 0;
    for (let at = dependentsFrom[node] ?? 0; at < to; at++) {
      const other = dependents[at] ?? 0;
      if ((end[node] ?? 0) < (latest[other] ?? 0)) continue;
      latest[other] = end[node] ?? 0;
      edge[other] = at;
    }
  }
  const delay = new Float64Array(dependents.length);
  for (let node = 0; node < count; node++) {
    const at = edge[node] ?? -1;
    if (at >= 0 && cause[at] === LAUNCH) delay[at] = Math.max(0, (start[node] ?? 0) - (latest[node] ?? 0));
  }
  return delay;
}

function refuseCycles({ ops }: StepTrace, { count, op, waitsFor, dependentsFrom, dependents }: StepDag): void {
  const waiting = waitsFor.slice();
  const ready = new Uint32Array(count);
  let [taken, found] = [0, 0];
  for (let node = 0; node < count; node++) if (waiting[node] === 0) ready[found++] = node;
  while (taken < found) {
    const node = ready[taken++] ?? 0;
    const end = dependentsFrom[node + 1] ?? 0;
    for (let at = dependentsFrom[node] ?? 0; at < end; at++) {
      const other = dependents[at] ?? 0;
      waiting[other] = (waiting[other] ?? 0) - 1;
      if (waiting[other] === 0) ready[found++] = other;
    }
  }
  if (found === count) return;
  const stuck = waiting.findIndex(number => number > 0);
  const name = ops.names[ops.name[op[stuck] ?? 0] ?? 0];
  throw new VenturiError('VENTURI_STEPS_CYCLIC', `Ops wait for each other in a circle, ${name} among them.`, {
    remedy: 'Look at the dependencies of the trace: of ops in a circle none could ever have started.',
  });
}
