import { StageTopology, type Vertex } from '../../graph/stage-topology.ts';
import type { Graph } from '../../model/graph.ts';
import { subject } from '../../model/record.ts';
import type { RecordBlock } from '../../model/span.ts';
import { STATES } from '../../model/state.ts';
import { lanesOf } from '../rates/lane-states.ts';
import { growthOf, ownGrowth, type Timeline, TimelineFold } from '../timeline.ts';
import { NarrowHistory, STEPS_PER_WINDOW } from './history.ts';
import { LEAST_WINDOW_NS, windowFor } from './verdict.ts';
import { StateView, type StateWindow } from './window.ts';

/** Bins of the last minute, from which windows are taken. */
const RECENT_BIN_NS = 100e6;
/** Bins of the whole run, for curves. */
const WHOLE_BIN_NS = 500e6;
const BINS = 512;
/** Lanes write their counters twice a second or more often; one that has not for this long is in the midst of something. */
const PATIENCE_NS = 1e9;
/** Changes of the narrow place that are kept. */
const MOST_SEGMENTS = 256;

/** CPU of a task, in cores, bin by bin. */
export interface TaskCurve {
  readonly vertex: Vertex;
  readonly cores: readonly number[];
}

/** What a run does now, and how its narrow place moved. */
export interface LiveView {
  readonly end: number;
  readonly window: StateWindow;
  readonly history: NarrowHistory;
  /** Cores that a vertex used, and elements per second that left an operator, in the window. */
  cores(vertex: Vertex): number;
  elementsPerSecond(operator: string): number;
  readonly curves: { readonly binNs: number; readonly tasks: readonly TaskCurve[] };
}

/**
 * States of a run that goes on. Each reading is folded once, and each window looked at once; the cost of a second does not depend on how
 * long the run has been going on. The last minute is kept in fine bins, all of it in bins that widen.
 */
export class LiveStates {
  readonly #recent = new TimelineFold(RECENT_BIN_NS, BINS, { whenFull: 'forget' });
  readonly #whole = new TimelineFold(WHOLE_BIN_NS, BINS, { metrics: [...STATES, 'saturated', 'chunks'] });
  #topology: StageTopology | undefined;
  #history: NarrowHistory | undefined;
  /** End of the last window. */
  #reached = 0;
  #windowNs = LEAST_WINDOW_NS;

  block(block: RecordBlock, subjects: readonly string[]): void {
    this.#recent.block(block, subjects);
    this.#whole.block(block, subjects);
  }

  /** Looks at all windows up to the last reading. Undefined while there is none. */
  advance(graph: Graph): LiveView | undefined {
    const end = this.#recent.settled(PATIENCE_NS);
    if (end <= 0) return undefined;
    this.#topology ??= new StageTopology(graph);
    this.#history ??= this.#caughtUp(this.#topology);
    const timeline = this.#recent.result();
    const view = new StateView(this.#topology, timeline);
    const from = this.#recent.from;
    this.#windowNs = Math.max(LEAST_WINDOW_NS, windowFor(view, timeline.binNs, from, end));
    this.#reached = Math.max(from, this.#reached);
    this.#slide(this.#history, view, from, end);
    const window = view.window(Math.max(0, from, end - this.#windowNs), end);
    if (this.#windowNs >= (timeline.binNs * BINS) / STEPS_PER_WINDOW) this.#recent.widen();
    return this.#view(this.#topology, this.#history, timeline, window);
  }

  /** History of a run that was going on before anybody looked: its lanes come one after the other, and only their last minute is fine. */
  #caughtUp(topology: StageTopology): NarrowHistory {
    const history = new NarrowHistory(topology, MOST_SEGMENTS);
    const known = this.#recent.from;
    if (known === 0) return history;
    const timeline = this.#whole.result();
    const view = new StateView(topology, timeline);
    this.#windowNs = Math.max(LEAST_WINDOW_NS, windowFor(view, timeline.binNs, 0, known));
    this.#slide(history, view, 0, known);
    return history;
  }

  /** `from`: where the view begins. */
  #slide(history: NarrowHistory, view: StateView, from: number, to: number): void {
    const step = this.#windowNs / STEPS_PER_WINDOW;
    while (this.#reached + step <= to) {
      this.#reached += step;
      const start = this.#reached - this.#windowNs;
      if (start >= from) history.add(view.window(start, this.#reached));
    }
  }

  #view(topology: StageTopology, history: NarrowHistory, timeline: Timeline, window: StateWindow): LiveView {
    const { from, to } = window;
    const whole = this.#whole;
    return {
      end: to,
      window,
      history,
      cores: vertex => ownGrowth(lanesOf(timeline, vertex), 'running', from, to) / (to - from),
      elementsPerSecond: operator =>
        (1e9 * growthOf(timeline.lanes, subject.operator(operator), 'elementsOut', from, to)) / (to - from),
      get curves() {
        return curvesOf(topology, whole.result());
      },
    };
  }
}

function curvesOf(topology: StageTopology, timeline: Timeline): LiveView['curves'] {
  const { binNs, end } = timeline;
  const bins = Math.floor(end / binNs);
  const tasks = topology.vertices.map(vertex => {
    const lanes = lanesOf(timeline, vertex);
    const cores = Array.from(
      { length: bins },
      (_, bin) => ownGrowth(lanes, 'running', bin * binNs, (bin + 1) * binNs) / binNs,
    );
    return { vertex, cores };
  });
  return { binNs, tasks };
}
