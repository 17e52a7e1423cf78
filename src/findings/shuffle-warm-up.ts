import { highest } from '../math/totals.ts';
import type { Operator } from '../model/graph.ts';
import { type Ns, ns, type Share, share } from '../model/units.ts';
import { count, percent, time } from '../report/format.ts';
import type { Definition } from './definition.ts';

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
export const shuffleWarmUp: Definition<{ readonly firstOutput: Ns; readonly ofRun: Share; readonly buffer: number }> = {
  inPipeline({ graph, rates, durationNs }) {
    const { firstOutput } = rates.steady;
    const shuffle = highest(
      graph.operators.filter(({ blocking }) => blocking === true),
      bufferOf,
    );
    if (shuffle === undefined || firstOutput === undefined || firstOutput < LEAST_NS) return undefined;
    const ofRun = firstOutput / durationNs;
    if (ofRun < NOTED) return undefined;
    return {
      limits: ofRun >= LIMITING,
      operators: [shuffle.id],
      figures: { firstOutput: ns(firstOutput), ofRun: share(ofRun), buffer: bufferOf(shuffle) },
    };
  },

  words: ({ figures: { firstOutput, ofRun, buffer } }, { name }) => ({
    text: `${name} held everything back for ${time(firstOutput)}, ${percent(ofRun)} of this run, until its buffer of ${count(buffer)} was full`,
    advice: `Use a smaller buffer, shuffle the files instead of their elements, or let it run longer`,
  }),
};
