import { groupedBy } from '../../math/groups.ts';
import { NS_PER_SECOND } from '../../model/units.ts';
import { endOf, isLink, type ScaleoutProfile, type ScaleoutStep, type StepGraph, UPLINK } from './step.ts';
import { eachDependent } from './topology.ts';

/** The link on which a trace was recorded. */
export interface RecordedLink {
  /** Bytes per second. */
  readonly bandwidth: number;
  /** WIN of streams from servers, and of those to them. */
  readonly window: number;
  readonly uplinkWindow: number;
  /** Seconds for which a receiver parses a byte, α: recorded ends are those of parsing. */
  readonly perByte: number;
}

/**
 * The same steps with streams in the order in which they were sent. A trace says when each was asked for; which of several that wait a host's threads hand over first is chance,
 * and only the ends tell. A was sent before B where A ended first and the middle of its transmission lies before that of B: of both orders, that one is less at odds with how
 * far their ends lie apart. If B was asked for earlier, it was handed over after A was asked for.
 *
 * `isMeant`: the resources whose streams are put in order, all links unless given.
 */
export const inSendingOrder = (
  profile: ScaleoutProfile,
  link: RecordedLink,
  isMeant: (resource: number) => boolean = isLink,
): ScaleoutProfile => ({
  ...profile,
  steps: profile.steps.map(step => {
    const graph = profile.graphs[step.graph];
    return graph === undefined ? step : { ...step, delays: delaysInOrder(graph, step, link, isMeant) };
  }),
});

/** Seconds between two streams of which one was handed over after the other: any will do, and this is less than traces tell apart. */
const HANDOVER_GAP = 1 / NS_PER_SECOND;

interface Stream {
  readonly op: number;
  /** When it was handed over: when it was asked for, or later. */
  readonly handed: number;
  readonly end: number;
  /** Of its transmission. */
  readonly middle: number;
  /** Seconds that it takes on the link. */
  readonly sending: number;
  /** It has more than WIN bytes: others may have passed between its chunks, and its end does not tell when it began. */
  readonly isInterrupted: boolean;
}

function delaysInOrder(
  graph: StepGraph,
  step: ScaleoutStep,
  { bandwidth, window, uplinkWindow, perByte }: RecordedLink,
  isMeant: (resource: number) => boolean,
): readonly number[] | undefined {
  const { delays } = step;
  if (delays === undefined) return undefined;
  const { resources, bytes } = graph;
  const inOrder = [...delays];
  const ready = readyMoments(graph, step);
  const guessed = new Set(step.guessed);
  const sent = [...resources.keys()].filter(op => isMeant(resources[op] ?? 0) && !guessed.has(op));
  const linkOf = (op: number): string => `${resources[op]} ${graph.recordedServers[graph.parameters[op] ?? 0] ?? 0}`;
  for (const ops of groupedBy(sent, linkOf).values()) {
    const streams = ops.map((op): Stream => {
      const size = bytes[op] ?? 0;
      const sending = size / bandwidth;
      const end = endOf(step, op);
      return {
        op,
        handed: (ready[op] ?? 0) + (delays[op] ?? 0),
        end,
        middle: end - size * perByte - sending / 2,
        sending,
        isInterrupted: size > (resources[op] === UPLINK ? uplinkWindow : window),
      };
    });
    for (const { op, handed } of handedLater(streams)) inOrder[op] = handed - (ready[op] ?? 0);
  }
  return inOrder;
}

/** The streams that were handed over later than they were asked for. */
function handedLater(streams: readonly Stream[]): Stream[] {
  const later: Stream[] = [];
  /** Those that ended before, as far as streams to come can have been handed over after them: the last to be handed over first. */
  const ended: Stream[] = [];
  let longest = 0;
  for (const asked of streams.toSorted((a, b) => a.end - b.end || a.handed - b.handed)) {
    const last = asked.isInterrupted ? undefined : lastBefore(asked, ended, longest);
    const stream = last === undefined ? asked : { ...asked, handed: last.handed + HANDOVER_GAP };
    if (last !== undefined) later.push(stream);
    const at = ended.findIndex(({ handed }) => handed < stream.handed);
    ended.splice(at === -1 ? ended.length : at, 0, stream);
    longest = Math.max(longest, stream.sending);
  }
  return later;
}

/**
 * Of the streams that were sent before this one though they were handed over after it was asked for, the last. One that was asked for later than both take to
 * be sent is none of them: so late is no thread, and what tells their order then is noise of the ends.
 */
function lastBefore(stream: Stream, ended: readonly Stream[], longest: number): Stream | undefined {
  for (const other of ended) {
    if (other.handed < stream.handed) return undefined;
    const late = other.handed - stream.handed;
    if (late > longest + stream.sending) continue;
    if (late <= other.sending + stream.sending && other.middle < stream.middle && other.end < stream.end) return other;
  }
  return undefined;
}

/** By op: when all that it waits for had ended. */
function readyMoments(graph: StepGraph, step: ScaleoutStep): Float64Array {
  const ready = new Float64Array(graph.names.length);
  for (const op of graph.names.keys()) {
    const end = endOf(step, op);
    eachDependent(graph, op, dependent => {
      ready[dependent] = Math.max(ready[dependent] as number, end);
    });
  }
  return ready;
}
