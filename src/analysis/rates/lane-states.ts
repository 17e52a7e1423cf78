import type { Vertex } from '../../graph/stage-topology.ts';
import { subject } from '../../model/record.ts';
import { STATES, type State } from '../../model/state.ts';
import { type Share, share } from '../../model/units.ts';
import type { LaneTimeline, Timeline } from '../timeline.ts';

export type StateTimes = Readonly<Record<State, number>>;
export type StateShares = Readonly<Record<State, Share>>;

/** The lanes that do a vertex's work. */
export function lanesOf(timeline: Timeline, vertex: Vertex): LaneTimeline[] {
  const keys = [vertex.key, ...vertex.operators.map(({ id }) => subject.operator(id))];
  return timeline.lanes.filter(lane => keys.some(key => lane.subjects.has(key)));
}

/** ns a lane spent in each state between two moments. */
export function stateTimes(lane: LaneTimeline, from: number, to: number): StateTimes {
  const time = (state: State): number => Math.max(0, lane.between(lane.ownKey, state, from, to));
  return Object.fromEntries(STATES.map(state => [state, time(state)])) as Record<State, number>;
}

export const wallOf = (times: StateTimes): number => STATES.reduce((sum, state) => sum + times[state], 0);

/** Time in which the lane was on its work, whatever slowed it: neither without input nor without room. */
export const busyOf = (times: StateTimes): number => times.running + times.runnable + times.blocked;

/** The mean over lanes, each weighted alike; a lane that did not exist then is left out. */
export function stateShares(lanes: readonly StateTimes[]): StateShares {
  const alive = lanes.filter(times => wallOf(times) > 0);
  const mean = (state: State): Share =>
    share(alive.reduce((sum, times) => sum + times[state] / wallOf(times), 0) / Math.max(1, alive.length));
  return Object.fromEntries(STATES.map(state => [state, mean(state)])) as Record<State, Share>;
}
