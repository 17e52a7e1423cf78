import type { StageTopology } from '../../graph/stage-topology.ts';
import { highest } from '../../math/totals.ts';
import { type Ns, ns, type Share, share } from '../../model/units.ts';
import type { SteadyPart } from '../rates/steady.ts';
import type { Timeline } from '../timeline.ts';
import type { NarrowPlace } from './detect.ts';
import { NarrowHistory, STEPS_PER_WINDOW } from './history.ts';
import { StateView, type StateWindow } from './window.ts';

/** The place that held the flow back over an interval of time; none where nothing did clearly. */
export interface Segment {
  readonly from: Ns;
  readonly to: Ns;
  readonly place: NarrowPlace | undefined;
}

export interface StateVerdict {
  readonly windowNs: Ns;
  readonly segments: readonly Segment[];
  /** The place that held for longest, and for what part of the time. */
  readonly place: NarrowPlace | undefined;
  readonly held: Share;
  /** How often the verdict changed. */
  readonly changes: number;
  /** The whole steady part as one window. */
  readonly whole: StateWindow;
  /** Where nothing passed the threshold: what came nearest to it. */
  readonly nearest: NarrowPlace | undefined;
}

export const LEAST_WINDOW_NS = 1e9;
/** A window near the length of one chunk sees single chunks come and go (flink.md: 16 kB batches flip 5 s windows). */
const CHUNKS_PER_WINDOW = 8;
/** The narrow place over time, by a window that slides over the steady part; its `length`, ns, is by default `windowFor`. */
export function stateVerdict(
  topology: StageTopology,
  timeline: Timeline,
  steady: SteadyPart,
  length?: number,
): StateVerdict {
  const view = new StateView(topology, timeline);
  const { from, to } = steady;
  const windowNs = length ?? windowFor(view, timeline.binNs, from, to);
  const step = windowNs / STEPS_PER_WINDOW;
  const whole = view.window(from, to);
  const history = new NarrowHistory(topology);
  for (let start: number = from; start + windowNs <= to + 1; start += step) {
    history.add(view.window(start, start + windowNs));
  }
  const longest = highest(history.held, ({ time }) => time);
  return {
    windowNs: ns(windowNs),
    segments: history.segments.map(({ from: start, to: end, place }) => ({ from: ns(start), to: ns(end), place })),
    place: longest?.place,
    held: share(longest === undefined ? 0 : longest.time / history.time),
    changes: Math.max(0, history.segments.length - 1),
    whole,
    nearest: nearestPlace(whole),
  };
}

/** Several of the slowest chunks, but never so much that a short run is one window. */
export function windowFor(view: StateView, binNs: number, from: number, to: number): number {
  const wanted = Math.max(LEAST_WINDOW_NS, CHUNKS_PER_WINDOW * view.longestChunk(from, to), 2 * binNs);
  return Math.max(1, Math.min(wanted, (to - from) / 2));
}

/** The vertex with the busiest lanes: of equals, the one nearest the consumer. */
function nearestPlace({ vertices }: StateWindow): NarrowPlace | undefined {
  let most: NarrowPlace | undefined;
  for (const { vertex, busy, processing, states, lanes } of vertices) {
    if (lanes === 0 || (most !== undefined && most.share > busy)) continue;
    most = { type: 'vertex', limit: processing >= states.blocked ? 'cpu' : 'blocked', vertex, share: busy };
  }
  return most;
}
