import { cpuIsFull, narrowPlace } from '../analysis/bottleneck/narrow.ts';
import { ceilings, rateUnder } from '../analysis/rates/ceilings.ts';
import { CONSUMER } from '../model/consumer.ts';
import { type ElementsPerSecond, elementsPerSecond, type Ns, type Share } from '../model/units.ts';
import { percent, rate, time } from '../report/format.ts';
import type { Definition, Sentence } from './definition.ts';
import type { FindingShape } from './finding.ts';
import { changeOf, doubtsOf, type WaitFigures, waitFigures } from './loader.ts';
import { possible, stake } from './phrases.ts';

export interface PipelineFigures {
  readonly wait: Ns;
  readonly step: Ns;
  readonly busy: Share;
  /** What the pipeline could deliver, were the consumer faster. */
  readonly possible: ElementsPerSecond;
}

/** `nearly` where the consumer still waits a little, `mostly` where it waits for some time, and works for longer. */
export interface LoaderFigures extends WaitFigures {
  readonly nearly: boolean;
  readonly mostly: boolean;
}

/** A consumer that waits less than this for an element is not held up by its input (Plumber §3). */
export const SHORT_WAIT_NS = 50e3;
/** Nor is one that is on its own work for all but this part of the time. */
const BUSY = 0.9;

/** The consumer is the bottleneck: the pipeline, or the loader, keeps up with it. */
export const consumerBound: Definition<PipelineFigures | LoaderFigures> = {
  inPipeline(analysis) {
    const { consumer } = analysis.rates;
    if (consumer === undefined || analysis.rates.completions === 0) return undefined;
    const place = narrowPlace(analysis);
    const isNarrow = place?.type === 'vertex' && place.vertex.id === CONSUMER;
    // With all cores in use a consumer queues for one like everybody else: that is not its own work.
    const working = consumer.stepDemand.estimate * analysis.rates.rate.estimate;
    const isBusy = (isNarrow || consumer.busy >= BUSY) && (working >= BUSY || !cpuIsFull(analysis));
    if (!isBusy && consumer.wait >= SHORT_WAIT_NS) return undefined;
    return {
      limits: true,
      cause: { type: 'none' },
      figures: {
        wait: consumer.wait,
        step: consumer.step,
        busy: consumer.busy,
        possible: elementsPerSecond(rateUnder(ceilings(analysis.rates), ({ kind }) => kind === 'consumer')),
      },
    };
  },

  inLoader(judged) {
    const { bound, workersWanted } = judged.loader.verdict;
    if (bound !== 'consumer' && bound !== 'balanced') return undefined;
    const mostly = bound === 'consumer' && workersWanted !== undefined;
    return {
      ...(mostly ? changeOf(judged) : { doubts: doubtsOf(judged) }),
      limits: true,
      cause: { type: 'none' },
      figures: { ...waitFigures(judged), nearly: bound === 'balanced', mostly },
    };
  },

  words(finding, { name, now }) {
    const { figures } = finding;
    if ('nearly' in figures) return ofLoader({ ...finding, figures }, name);
    const { wait, step, busy, possible: most } = figures;
    if (busy < 0.5) {
      return { text: `The pipeline keeps up: its consumer waits ${time(wait)} for an element, too little to matter` };
    }
    return {
      text: `The consumer limits this run, not its input: it works ${time(step)} on an element and waits ${time(wait)}`,
      advice: Number.isFinite(most)
        ? `Speed up the consumer: the pipeline could deliver ${rate(most)} instead of ${rate(now)}`
        : 'Speed up the consumer: the pipeline has time to spare',
    };
  },
};

function ofLoader({ figures, gain }: FindingShape<LoaderFigures>, name: string): Sentence {
  const { waiting, atStake, step, preparation, delay, nearly, mostly } = figures;
  const now = rate(figures.rate);
  if (mostly) {
    return {
      text: `Mostly the consumer limits this program, not ${name}: it works ${time(step)} on a batch and waits ${percent(waiting)} of the time for its preparation of ${time(preparation)}${stake(atStake)}; ${now}${possible(gain)}`,
      advice: 'Speed up the step itself',
    };
  }
  if (nearly) {
    return {
      text: `${name} nearly keeps up: its consumer waits ${percent(waiting)} of the time${stake(atStake)}; ${now}`,
    };
  }
  return {
    text: `The consumer limits this program, not ${name}: it works ${time(step)} on a batch and waits ${percent(waiting)} of the time; batches are ready ${time(delay)} ahead; ${now}`,
    advice: 'Speed up the step itself: nothing in the loader would help',
  };
}
