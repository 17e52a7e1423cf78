import { SECOND, type SteadyLane, states } from '../analysis/records.fixture.ts';

/** Of each second. */
export interface Shares {
  readonly running: number;
  readonly runnable?: number;
  readonly blocked?: number;
  readonly starved?: number;
}

/** A lane of the stage that its name begins with, at so many elements a second. */
export const lane = (
  name: string,
  rate: number,
  shares: Shares,
  more: SteadyLane['perSecond'][string] = {},
): SteadyLane => {
  const stage = name.replace(/#.*/, '');
  const { running, runnable, blocked, starved } = shares;
  return {
    name,
    perSecond: {
      lane: { ...states(running, runnable, blocked, starved), ...more },
      [`stage:${stage}`]: { cpu: running * SECOND, chunks: rate },
      [`operator:${stage}`]: { elementsIn: rate, elementsOut: stage === 'consumer' ? 0 : rate, bytesOut: rate * 1000 },
    },
  };
};
