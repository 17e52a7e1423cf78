import { entryOf } from '../../math/groups.ts';
import type { ResourceKind, StepTrace } from '../../model/step-trace.ts';
import { Agenda } from '../../simulation/agenda.ts';
import { isLink, type StepGraph, UPLINK } from './step.ts';
import { eachDependent } from './topology.ts';

/**
 * By op, how long after the end of all that it waits for it was in line: until a transfer was asked for, until a thread of a host took an op up. `places[op]` is its
 * resource in the trace. Threads and streams that are in order have no delays: what an op waits for there is an op or a launch. Nor have hosts of several workers,
 * whose ops can wait for what another worker does.
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
  /** Ends of what was received, by server; at -1 what the worker received. */
  const received = new Map<number, number[]>();
  for (const [op, resource] of graph.resources.entries()) {
    eachDependent(graph, op, dependent => {
      possible[dependent] = Math.max(possible[dependent] ?? 0, ends[op] ?? 0);
    });
    const place = places[op] ?? 0;
    const { kind, ordered, server = 0 } = resources[place] ?? {};
    if (isLink(resource)) {
      entryOf(transfers, place, () => []).push(op);
      entryOf(received, resource === UPLINK ? server : WORKER_HOST, () => []).push(ends[op] ?? 0);
    } else if (isHost(kind) && ordered !== true && ranks.length === 1) entryOf(taken, place, () => []).push(op);
  }
  const recorded = { starts, ends, possible, delays: starts.map(() => 0) };
  for (const ops of transfers.values()) addAsked(recorded, ops);
  for (const [place, ops] of taken) {
    const { kind, server = 0, lanes = 1 } = resources[place] ?? {};
    addTaken(recorded, ops, lanes, received.get(kind === 'server' ? server : WORKER_HOST) ?? []);
  }
  return recorded.delays;
}

const WORKER_HOST = -1;

const isHost = (kind: ResourceKind | undefined): boolean => kind === 'host' || kind === 'device' || kind === 'server';

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

/**
 * Of the ops of a host. One that was ready while all lanes were busy waited for a lane, and one that was ready when a message came may have waited until that was
 * parsed. Both are simulated: such an op is in line from when it was ready, behind those that began before it.
 */
function addTaken(
  { starts, ends, possible, delays }: Recorded,
  ops: number[],
  lanes: number,
  received: number[],
): void {
  const startOf = (op: number): number => starts[op] ?? 0;
  received.sort((a, b) => a - b);
  /** The ops under way that end last, one for each lane at most. */
  const running = new Agenda();
  let [busyUntil, inLine, count, underWay] = [Number.NEGATIVE_INFINITY, 0, 0, 0];
  for (const op of ops.sort((a, b) => startOf(a) - startOf(b))) {
    const start = startOf(op);
    const ready = possible[op] ?? 0;
    for (; running.firstMoment <= start; underWay--) running.pop();
    while ((received[count] ?? Number.POSITIVE_INFINITY) <= start) count++;
    const parsedUntil = received[count - 1] ?? Number.NEGATIVE_INFINITY;
    const isSimulated = Math.max(busyUntil, parsedUntil) > ready;
    inLine = Math.max(ready, isSimulated ? inLine : start);
    delays[op] = inLine - ready;
    running.push(ends[op] ?? 0, op);
    if (underWay === lanes) running.pop();
    else underWay++;
    if (underWay === lanes) busyUntil = running.firstMoment;
  }
}
