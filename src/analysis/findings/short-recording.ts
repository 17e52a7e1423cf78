import { ns, share } from '../../model/units.ts';
import type { Detector } from './narrow.ts';

/** Below these nothing can be said … */
const LEAST_NS = 0.5e9;
const LEAST_ELEMENTS = 8;
/** … and below these it should be taken with care. */
const SHORT_NS = 2e9;
const FEW_ELEMENTS = 30;
const NOISY = 0.15;
/** What to ask for instead. */
const WANTED_SECONDS = 10;

export const shortRecording: Detector<'short-recording'> = ({ rates, durationNs, complete }) => {
  const { completions, rate } = rates;
  const steady = rates.steady.to - rates.steady.from;
  const error = rate.estimate > 0 ? (rate.high - rate.low) / (2 * rate.estimate) : 0;
  const reason =
    completions === 0
      ? 'empty'
      : steady < SHORT_NS
        ? 'short'
        : completions < FEW_ELEMENTS
          ? 'few-elements'
          : error > NOISY
            ? 'noisy'
            : complete
              ? undefined
              : 'incomplete';
  if (reason === undefined) return undefined;
  return {
    kind: 'short-recording',
    limits: steady < LEAST_NS || completions < LEAST_ELEMENTS,
    cause: { type: 'none' },
    operators: [],
    figures: { reason, duration: ns(durationNs), elements: completions, error: share(error) },
    fix: { type: 'record', seconds: WANTED_SECONDS },
    gain: undefined,
    doubts: [],
  };
};
