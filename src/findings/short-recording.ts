import { type Ns, ns, type Share, share } from '../model/units.ts';
import { percent, plural, time } from '../report/format.ts';
import type { Definition } from './definition.ts';

export interface Figures {
  readonly reason: 'empty' | 'short' | 'few-elements' | 'noisy' | 'incomplete';
  readonly duration: Ns;
  readonly elements: number;
  /** Half-width of the interval of the rate / rate. */
  readonly error: Share;
}

/** Below these nothing can be said … */
const LEAST_NS = 0.5e9;
const LEAST_ELEMENTS = 8;
/** … and below these it should be taken with care. */
const SHORT_NS = 2e9;
const FEW_ELEMENTS = 30;
const NOISY = 0.15;
/** What to ask for instead. */
const WANTED_SECONDS = 10;

export const shortRecording: Definition<Figures> = {
  alone: true,

  inPipeline({ rates, durationNs, complete }) {
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
      limits: steady < LEAST_NS || completions < LEAST_ELEMENTS,
      cause: { type: 'none' },
      figures: { reason, duration: ns(durationNs), elements: completions, error: share(error) },
      fix: { type: 'record', seconds: WANTED_SECONDS },
    };
  },

  words({ figures: { reason, duration, elements, error }, limits }) {
    const inTime = `${plural(Math.round(elements), 'element')} in ${time(duration)}`;
    switch (reason) {
      case 'empty':
        return { text: `No element left the pipeline in ${time(duration)}: there is nothing to judge by` };
      case 'short':
        return { text: `${limits ? 'Too short to judge' : 'This recording is short'}: ${inTime}` };
      case 'few-elements':
        return { text: `${limits ? 'Too few elements to judge' : 'Few elements'}: ${inTime}` };
      case 'noisy':
        return { text: `This recording is noisy: its rate is known to ${percent(error)} only` };
      case 'incomplete':
        return { text: 'This recording is incomplete: it was cut or still goes on' };
    }
  },
};
