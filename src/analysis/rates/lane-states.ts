import type { Vertex } from '../../graph/stage-topology.ts';
import { ratio } from '../../math/ratio.ts';
import { greatest, sumOf } from '../../math/totals.ts';
import { subject } from '../../model/record.ts';
import { STATES, type State } from '../../model/state.ts';
import { type Share, share } from '../../model/units.ts';
import type { LaneTimeline, Timeline } from '../timeline.ts';

export type StateTimes = Readonly<Record<State, number>>;
export type StateShares = Readonly<Record<State, Share>>;

export const byState = <T>(of: (state: State) => T): Readonly<Record<State, T>> =>
  Object.fromEntries(STATES.map(state => [state, of(state)])) as Record<State, T>;

/** The lanes that do a vertex's work. */
export function lanesOf(timeline: Timeline, vertex: Vertex): LaneTimeline[] {
  const keys = [vertex.key, ...vertex.operators.map(({ id }) => subject.operator(id))];
  return timeline.lanes.filter(lane => keys.some(key => lane.subjects.has(key)));
}

/** ns a lane spent in each state between two moments. */
export function stateTimes(lane: LaneTimeline, from: number, to: number): StateTimes {
  return byState(state => Math.max(0, lane.between(lane.ownKey, state, from, to)));
}

export const wallOf = (times: StateTimes): number => sumOf(STATES, state => times[state]);

/** Time at work, whatever slowed it: neither starved nor back-pressured. */
export const busyOf = (times: StateTimes): number => times.running + times.runnable + times.blocked;

/** Parts of the time that lanes lived, all together: one that lived a moment says little. */
export function stateShares(lanes: readonly StateTimes[]): StateShares {
  const lived = sumOf(lanes, wallOf);
  return byState(state =>
    share(
      ratio(
        sumOf(lanes, times => times[state]),
        lived,
      ),
    ),
  );
}

/** The most that a lane was at work, of the time that the longest of them lived; no less than all of them together. */
export function busiestShare(lanes: readonly StateTimes[]): Share {
  const longest = greatest(lanes.map(wallOf));
  return share(Math.max(busyOf(stateShares(lanes)), ratio(greatest(lanes.map(busyOf)), longest)));
}
