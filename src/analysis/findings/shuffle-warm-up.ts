import { ns, share } from '../../model/units.ts';
import type { Detector } from './narrow.ts';

/** Threads need a moment to start; a wait below this is no matter of buffers. */
const LEAST_NS = 1e9;
const NOTED = 0.2;
const LIMITING = 0.4;

/** Until its buffer is full, a shuffle hands on nothing. */
export const shuffleWarmUp: Detector<'shuffle-warm-up'> = ({ graph, rates, durationNs }) => {
  const { firstOutput } = rates.stretch;
  const shuffles = graph.operators.filter(({ kind }) => kind === 'shuffle');
  const bufferOf = (settings: Readonly<Record<string, unknown>>): number =>
    typeof settings.buffer === 'number' ? settings.buffer : 0;
  const largest = shuffles.reduce<(typeof shuffles)[number] | undefined>(
    (most, each) => (most === undefined || bufferOf(each.settings) > bufferOf(most.settings) ? each : most),
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
    figures: { firstOutput: ns(firstOutput), ofRun: share(ofRun), buffer: bufferOf(largest.settings) },
    fix: { type: 'advice' },
    gain: undefined,
    doubts: [],
  };
};
