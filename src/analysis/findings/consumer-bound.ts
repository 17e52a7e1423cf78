import { CONSUMER } from '../../model/consumer.ts';
import { elementsPerSecond } from '../../model/units.ts';
import { ceilings, rateUnder } from '../rates/ceilings.ts';
import { cpuIsFull, type Detector, narrowPlace } from './narrow.ts';

/** A consumer that waits less than this for an element is not held up by its input (Plumber §3). */
export const SHORT_WAIT_NS = 50e3;
/** Nor is one that is on its own work for all but this part of the time. */
const BUSY = 0.9;

export const consumerBound: Detector<'consumer-bound'> = analysis => {
  const { consumer } = analysis.rates;
  if (consumer === undefined || analysis.rates.completions === 0) return undefined;
  const place = narrowPlace(analysis);
  const isNarrow = place?.type === 'vertex' && place.vertex.id === CONSUMER;
  // With all cores in use a consumer queues for one like everybody else: that is not its own work.
  const working = consumer.stepDemand.estimate * analysis.rates.rate.estimate;
  const isBusy = (isNarrow || consumer.busy >= BUSY) && (working >= BUSY || !cpuIsFull(analysis));
  if (!isBusy && consumer.wait >= SHORT_WAIT_NS) return undefined;
  const possible = rateUnder(ceilings(analysis.rates), ({ kind }) => kind === 'consumer');
  return {
    kind: 'consumer-bound',
    limits: true,
    cause: { type: 'none' },
    operators: [],
    figures: {
      wait: consumer.wait,
      step: consumer.step,
      busy: consumer.busy,
      possible: elementsPerSecond(possible),
    },
    fix: { type: 'advice' },
    gain: undefined,
    doubts: [],
  };
};
