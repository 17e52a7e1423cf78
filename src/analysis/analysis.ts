import { StageTopology } from '../graph/stage-topology.ts';
import type { DiskCurve } from '../model/disk.ts';
import type { Graph } from '../model/graph.ts';
import type { Host } from '../model/host.ts';
import type { Stuck } from '../model/run.ts';
import type { RecordBlock } from '../model/span.ts';
import { OperatorSummary, type RunRows } from './rates/operators.ts';
import { type RunRates, runRates } from './rates/rates.ts';
import { type OperatorSize, operatorSizes } from './sizes/sizes.ts';
import { type StateVerdict, stateVerdict } from './states/verdict.ts';
import { type Timeline, TimelineFold } from './timeline.ts';

interface RecordedFacts {
  readonly graph: Graph;
  readonly host: Host;
  readonly durationNs: number;
  /** The run went to its end. */
  readonly completed: boolean;
  /** The recording has its final mark. */
  readonly complete: boolean;
}

/** Everything that was worked out about a run. */
export interface Analysis extends RecordedFacts {
  readonly rows: RunRows;
  readonly timeline: Timeline;
  readonly topology: StageTopology;
  readonly rates: RunRates;
  readonly states: StateVerdict;
  readonly sizes: readonly OperatorSize[];
  readonly disk: DiskCurve | undefined;
  /** Operators that did not come to their end. */
  readonly stuck: readonly Stuck[];
}

export interface AnalysisFacts extends RecordedFacts {
  /** The run went on where another had stopped. */
  readonly resumed?: boolean | undefined;
  readonly disk?: DiskCurve | undefined;
  readonly root?: string | undefined;
  /** An operator whose output is cached: the steady part begins once that cache is full. */
  readonly filled?: string | undefined;
  readonly stuck?: readonly Stuck[] | undefined;
}

/** Feed it every block of a run, finished or still going on, and ask at any time. */
export class RunAnalysis {
  readonly #summary = new OperatorSummary();
  readonly #timeline = new TimelineFold();

  block(block: RecordBlock, subjects: readonly string[]): void {
    this.#summary.block(block, subjects);
    this.#timeline.block(block, subjects);
  }

  result(facts: AnalysisFacts): Analysis {
    const { graph, host, durationNs, completed, complete, resumed = false, disk, root, filled, stuck = [] } = facts;
    const rows = this.#summary.result(graph, durationNs);
    const timeline = this.#timeline.result();
    const topology = new StageTopology(graph);
    const rates = runRates({ graph, host, rows, timeline, root, filled });
    const states = stateVerdict(topology, timeline, rates.steady);
    const sizes = operatorSizes({ graph, rows, timeline, completed, resumed });
    return {
      graph,
      host,
      durationNs,
      rows,
      timeline,
      topology,
      rates,
      states,
      sizes,
      completed,
      complete,
      disk,
      stuck,
    };
  }
}
