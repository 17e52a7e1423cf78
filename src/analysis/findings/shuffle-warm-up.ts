import type { Operator } from '../../model/graph.ts';
import { ns, share } from '../../model/units.ts';
import type { Detector } from './narrow.ts';

/** Threads need a moment to start; a wait below this is no matter of buffers. */
const LEAST_NS = 1e9;
const NOTED = 0.2;
const LIMITING = 0.4;

/** Elements that its buffer holds, by its settings. */
function bufferOf({ parameters, settings }: Operator): number {
  const value = settings[parameters?.buffer?.setting ?? ''];
  return typeof value === 'number' ? value : 0;
}

/** Until its buffer is full, a shuffle hands on nothing. */
export const shuffleWarmUp: Detector<'shuffle-warm-up'> = ({ graph, rates, durationNs }) => {
  const { firstOutput } = rates.steady;
  const largest = graph.operators
    .filter(({ blocking }) => blocking === true)
    .reduce<Operator | undefined>(
      (most, each) => (most === undefined || bufferOf(each) > bufferOf(most) ? each : most),
      undefined,
    );
  if (largest === undefined || firstOutput === undefined || firstOutput < LEAST_NS) return undefined;
  const ofRun = firstOutput / durationNs;
  if (ofRun < NOTED) return undefined;
  return {
    kind: 'shuffle-warm-up',
    limits: ofRun >= LIMITING,
    cause: { type: 'software' },
    operators: [largest.id],
    figures: { firstOutput: ns(firstOutput), ofRun: share(ofRun), buffer: bufferOf(largest) },
    fix: { type: 'advice' },
    gain: undefined,
    doubts: [],
  };
};
