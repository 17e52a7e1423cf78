import { dataFlows } from '../execution-trace/data-flow.ts';
import type { ExecutionNode } from '../execution-trace/nodes.ts';
import { CATEGORY, isOnDevice } from './category.ts';
import type { Launches } from './launches.ts';
import { parentsOf } from './nesting.ts';
import { endOf, nameOf, type RawEvents } from './raw-events.ts';

/** What an execution trace adds to the events of a profiler. */
export interface JoinedFlows {
  /** Pairs of events: the second reads what the first wrote, and neither a stream nor a thread orders them already. */
  readonly flows: readonly (readonly [from: number, to: number])[];
  /** Operators of the profiler, and how many of them the execution trace has. */
  readonly operators: number;
  readonly joined: number;
}

/** Work of a device that an operator launched: the first and the last. */
interface Launched {
  readonly first: number;
  last: number;
}

/**
 * Joins the operators of an execution trace with the events of a profiler, by number and name. What reads a tensor on a device waits for the last
 * work that its writer launched, where they are in different streams; operators of different threads wait for each other themselves.
 */
export function joinedFlows(raw: RawEvents, launches: Launches, nodes: readonly ExecutionNode[]): JoinedFlows {
  const names = new Map(nodes.filter(({ record }) => record > 0).map(({ record, name }) => [record, name]));
  const eventOf = new Map<number, number>();
  let operators = 0;
  for (let event = 0; event < raw.count; event++) {
    if (raw.category[event] !== CATEGORY.operator) continue;
    operators++;
    const record = raw.record[event] as number;
    if (names.get(record) === nameOf(raw, event)) eventOf.set(record, event);
  }
  const launched = launchedBy(raw, launches, new Set(eventOf.values()));
  const flows: [number, number][] = [];
  const add = (from: number, to: number): void => {
    if (raw.track[from] !== raw.track[to] && endOf(raw, from) <= (raw.start[to] as number)) flows.push([from, to]);
  };
  for (const { from, to } of dataFlows(nodes)) {
    const [writer, reader] = [eventOf.get(from), eventOf.get(to)];
    if (writer === undefined || reader === undefined) continue;
    add(writer, reader);
    const [written, read] = [launched.get(writer), launched.get(reader)];
    if (written !== undefined && read !== undefined) add(written.last, read.first);
  }
  return { flows, operators, joined: eventOf.size };
}

/** Work of devices by the innermost of some operators that launched it, in the order of launches. */
function launchedBy(raw: RawEvents, { callOf }: Launches, operators: ReadonlySet<number>): Map<number, Launched> {
  const parents = parentsOf(raw, new Set());
  const found = new Map<number, Launched>();
  const work = raw.order.filter(event => isOnDevice(raw.category[event] as number) && (callOf[event] as number) >= 0);
  const launchedAt = (event: number): number => raw.start[callOf[event] as number] as number;
  for (const event of work.sort((a, b) => launchedAt(a) - launchedAt(b))) {
    let caller = callOf[event] as number;
    while (caller >= 0 && !operators.has(caller)) caller = parents[caller] as number;
    const known = found.get(caller);
    if (known !== undefined) known.last = event;
    else if (caller >= 0) found.set(caller, { first: event, last: event });
  }
  return found;
}
