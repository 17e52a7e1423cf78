import type { StepTrace } from '../../model/step-trace.ts';
import { isLink, type StepGraph } from './step.ts';
import { eachDependent } from './topology.ts';

/**
 * By op: how long after all that it waits for a transfer was asked for, and how long after that a thread of a host took an op up. `places[op]`: its resource in the trace. Threads and
 * streams that are in order have none: what delays an op there is an op or a launch. Nor have hosts of several workers, whose ops can wait for what another worker does.
 */
export function delaysOf(
  graph: StepGraph,
  starts: readonly number[],
  ends: readonly number[],
  places: readonly number[],
  { resources, ranks }: Pick<StepTrace, 'resources' | 'ranks'>,
): number[] {
  const possible = starts.map(() => 0);
  const transfers = new Map<number, number[]>();
  const taken = new Map<number, number[]>();
  for (const [op, resource] of graph.resources.entries()) {
    eachDependent(graph, op, dependent => {
      possible[dependent] = Math.max(possible[dependent] ?? 0, ends[op] ?? 0);
    });
    const place = places[op] ?? 0;
    const { kind, ordered } = resources[place] ?? {};
    const isHost = kind === 'host' || kind === 'device' || kind === 'server';
    if (isLink(resource)) transfers.set(place, [...(transfers.get(place) ?? []), op]);
    else if (isHost && ordered !== true && ranks.length === 1) taken.set(place, [...(taken.get(place) ?? []), op]);
  }
  const recorded = { starts, ends, possible, delays: starts.map(() => 0) };
  for (const ops of transfers.values()) addAsked(recorded, ops);
  for (const [place, ops] of taken) addTaken(recorded, ops, resources[place]?.lanes ?? 1);
  return recorded.delays;
}

interface Recorded {
  readonly starts: readonly number[];
  readonly ends: readonly number[];
  /** When all that an op waits for had ended. */
  readonly possible: readonly number[];
  readonly delays: number[];
}

/**
 * Of the transfers of a link. TensorFlow notes down when a tensor was asked for and there, while others are being sent: that is time of hosts. A transfer that begins
 * the moment another ends waited for the link, which is simulated.
 */
function addAsked({ starts, ends, possible, delays }: Recorded, ops: number[]): void {
  const startOf = (op: number): number => starts[op] ?? 0;
  const ended = ops.map(op => ends[op] ?? 0).sort((a, b) => a - b);
  let [count, free, asked] = [0, 0, 0];
  for (const op of ops.sort((a, b) => startOf(a) - startOf(b))) {
    for (; (ended[count] ?? Number.POSITIVE_INFINITY) <= startOf(op); count++) free = ended[count] ?? free;
    const ready = possible[op] ?? 0;
    const isWaiting = free === startOf(op);
    // What began after another was not asked for before it.
    asked = Math.max(asked, ready, isWaiting ? 0 : startOf(op));
    delays[op] = asked - ready;
  }
}

/** Of the ops of a host. One that was ready while all lanes were busy waited for a lane, which is simulated: it is in line from then on, behind those that began before it. */
function addTaken({ starts, ends, possible, delays }: Recorded, ops: number[], lanes: number): void {
  const startOf = (op: number): number => starts[op] ?? 0;
  /** Ends of the ops that were begun so far, ascending. */
  const running: number[] = [];
  let [busyUntil, inLine] = [Number.NEGATIVE_INFINITY, 0];
  for (const op of ops.sort((a, b) => startOf(a) - startOf(b))) {
    const start = startOf(op);
    const ready = possible[op] ?? 0;
    while ((running[0] ?? Number.POSITIVE_INFINITY) <= start) running.shift();
    const isWaiting = busyUntil > ready;
    inLine = Math.max(ready, isWaiting ? inLine : start);
    delays[op] = inLine - ready;
    const end = ends[op] ?? 0;
    const at = running.findIndex(other => other > end);
    running.splice(at < 0 ? running.length : at, 0, end);
    if (running.length >= lanes) busyUntil = running[running.length - lanes] ?? busyUntil;
  }
}
