import { cpuIsFull, narrowStage } from '../analysis/bottleneck/narrow.ts';
import { highest } from '../math/totals.ts';
import { type ElementsPerSecond, elementsPerSecond, type Share } from '../model/units.ts';
import { percent, rate } from '../report/format.ts';
import type { Definition } from './definition.ts';
import { gainOf } from './gain.ts';

/** Below this part of its stage's CPU, something else in the stage is worth dividing first. */
const MAIN_PART = 0.5;

/** The narrow stage is busy mostly with an operator that must see all elements in order: it fills the one lane it can have. */
export const sequentialOperator: Definition<{ readonly busy: Share; readonly most: ElementsPerSecond }> = {
  inPipeline(analysis) {
    const narrow = narrowStage(analysis);
    if (narrow?.place.limit !== 'cpu' || cpuIsFull(analysis)) return undefined;
    const { stage } = narrow;
    const its = analysis.rates.operators.filter(operator => operator.stage === stage.id);
    const heaviest = highest(its, ({ cpuDemand }) => cpuDemand.estimate);
    if (heaviest === undefined || !heaviest.sequential) return undefined;
    const inOperators = stage.cpuDemand.estimate - stage.overheadDemand;
    const isAlone = its.every(({ sequential }) => sequential);
    if (!isAlone && heaviest.cpuDemand.estimate < MAIN_PART * inOperators) return undefined;
    return {
      limits: true,
      operators: [heaviest.id],
      figures: { busy: stage.busy, most: elementsPerSecond(heaviest.resourceAccountedRate) },
      gain: gainOf(
        analysis,
        ({ kind, id }) => (kind === 'stage' && id === stage.id) || (kind === 'sequential' && id === heaviest.id),
      ),
    };
  },

  words: ({ figures: { busy, most } }, { name, now }) => ({
    text: `${name} limits this pipeline: it sees all elements in order, so it has one lane, and that is busy ${percent(busy)} of the time; ${rate(now)} of at most ${rate(most)}`,
    advice: `Make ${name} cheaper, move work out of it into a map, or divide the source and run the whole pipeline once per part`,
  }),
};
