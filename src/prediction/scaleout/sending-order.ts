import { groupedBy } from '../../math/groups.ts';
import { NS_PER_SECOND } from '../../model/units.ts';
import { isLink, type ScaleoutProfile, type ScaleoutStep, type StepGraph, UPLINK } from './step.ts';
import { eachDependent } from './topology.ts';

/** The link on which a trace was recorded. */
export interface RecordedLink {
  /** Bytes per second. */
  readonly bandwidth: number;
  /** WIN of streams from servers, and of those to them. */
  readonly window: number;
  readonly uplinkWindow: number;
}

/**
 * The same steps with streams in the order in which they were sent. A trace says when each was asked for; which of several that wait a host's threads hand over first is chance,
 * and only the ends tell. A stream was sent before another where the middle of its transmission, at the bandwidth of the link, lies before that of the other: of
 * both orders, this one is less at odds with how far their ends lie apart. Who was asked for earlier and sent later was handed over after the other was asked for.
 */
export const inSendingOrder = (profile: ScaleoutProfile, link: RecordedLink): ScaleoutProfile => ({
  ...profile,
  steps: profile.steps.map(step => {
    const graph = profile.graphs[step.graph];
    return graph === undefined ? step : { ...step, delays: delaysInOrder(graph, step, link) };
  }),
});

/** Seconds by which a stream was handed over later than the one before: a trace's resolution. */
const LATER = 1 / NS_PER_SECOND;

interface Stream {
  readonly op: number;
  /** When it was handed over: when it was asked for, or later. */
  handed: number;
  /** Of its transmission. */
  readonly middle: number;
  /** It has more than WIN bytes: others may have passed between its chunks, and its end does not tell when it began. */
  readonly isInterrupted: boolean;
}

function delaysInOrder(
  graph: StepGraph,
  step: ScaleoutStep,
  { bandwidth, window, uplinkWindow }: RecordedLink,
): readonly number[] | undefined {
  const { delays } = step;
  if (delays === undefined) return undefined;
  const { resources, bytes } = graph;
  const inOrder = [...delays];
  const ready = readyMoments(graph, step);
  const concluded = new Set(step.guessed);
  const sent = [...resources.keys()].filter(op => isLink(resources[op] ?? 0) && !concluded.has(op));
  const linkOf = (op: number): string => `${resources[op]} ${graph.recordedServers[graph.parameters[op] ?? 0] ?? 0}`;
  for (const ops of groupedBy(sent, linkOf).values()) {
    const streams = ops.map((op): Stream => {
      const size = bytes[op] ?? 0;
      return {
        op,
        handed: (ready[op] ?? 0) + (delays[op] ?? 0),
        middle: endOf(step, op) - size / bandwidth / 2,
        isInterrupted: size > (resources[op] === UPLINK ? uplinkWindow : window),
      };
    });
    handOver(streams);
    for (const { op, handed } of streams) inOrder[op] = handed - (ready[op] ?? 0);
  }
  return inOrder;
}

function handOver(streams: readonly Stream[]): void {
  let latest = Number.NEGATIVE_INFINITY;
  for (const stream of streams.toSorted((a, b) => a.middle - b.middle)) {
    if (!stream.isInterrupted && stream.handed <= latest) stream.handed = latest + LATER;
    latest = Math.max(latest, stream.handed);
  }
}

const endOf = ({ starts, durations }: ScaleoutStep, op: number): number => (starts[op] ?? 0) + (durations[op] ?? 0);

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
