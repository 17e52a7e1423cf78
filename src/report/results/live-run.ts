import type { RecentLoader } from '../../analysis/batches/recent.ts';
import type { StateShares } from '../../analysis/rates/lane-states.ts';
import type { Graph } from '../../model/graph.ts';
import type { NarrowSegment } from './diagnosis.ts';
import type { RunHeading } from './run-heading.ts';

/** What holds the flow back now; `place` as in a diagnosis. */
export interface LivePlace {
  readonly place: string;
  /** Operators of the stage, or at both ends of the channel. */
  readonly operators: readonly string[];
  readonly limit: 'cpu' | 'blocked' | 'skew' | 'channel';
  /** Share of its time that it is busy, or full. */
  readonly share: number;
}

/** A place that was narrow at some time. */
export interface HeldPlaceRow {
  readonly place: string;
  readonly operators: readonly string[];
  readonly firstSeconds: number;
  readonly seconds: number;
  /** Of the time that was looked at. */
  readonly share: number;
  /** How often it became the narrow place. */
  readonly times: number;
  /** Chronic: for half of the time or more. */
  readonly nature: 'chronic' | 'passing';
}

export interface LiveTask {
  readonly id: string;
  readonly operators: readonly string[];
  readonly lanes: number;
  readonly states: StateShares;
  readonly busy: number;
  readonly cores: number;
  /** That left its last operator; undefined of the consumer. */
  readonly elementsPerSecond: number | undefined;
}

/** A run while it goes on: the last window, and what came before. */
export interface LiveRun extends RunHeading {
  readonly seconds: number;
  /** How often open pages were told of it so far. */
  readonly told: number;
  /** Undefined while the graph of a run is not known. */
  readonly pipeline?: LivePipeline | undefined;
  /** Of a program with DataLoaders: the one that was asked last. */
  readonly loader?: RecentLoader | undefined;
}

export interface LivePipeline {
  readonly graph: Graph;
  readonly windowSeconds: number;
  readonly now: (LivePlace & { readonly sinceSeconds: number }) | undefined;
  readonly tasks: readonly LiveTask[];
  readonly channels: readonly { readonly id: string; readonly saturated: number }[];
  /** Sorted by how long they held, the longest first. */
  readonly held: readonly HeldPlaceRow[];
  readonly segments: readonly NarrowSegment[];
  /** CPU of every task over time, in cores. */
  readonly cpu: {
    readonly binSeconds: number;
    readonly tasks: readonly { readonly id: string; readonly cores: readonly number[] }[];
  };
}
