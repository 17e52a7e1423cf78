import { elementsPerSecond } from '../../model/units.ts';
import { cpuIsFull, type Detector, gainOf, heaviestOf, narrowStage } from './narrow.ts';

/** Below this part of its stage's CPU, something else in the stage is worth dividing first. */
const MAIN_PART = 0.5;

/** The narrow stage is busy mostly with an operator that cannot be divided among lanes. */
export const sequentialOperator: Detector<'sequential-operator'> = analysis => {
  const narrow = narrowStage(analysis);
  if (narrow?.place.limit !== 'cpu' || cpuIsFull(analysis)) return undefined;
  const { stage } = narrow;
  const heaviest = heaviestOf(analysis, stage.operators);
  if (heaviest === undefined || !heaviest.sequential) return undefined;
  const inOperators = stage.cpuDemand.estimate - stage.overheadDemand;
  const isAlone = analysis.rates.operators.every(({ id, sequential }) => sequential || !stage.operators.includes(id));
  if (!isAlone && heaviest.cpuDemand.estimate < MAIN_PART * inOperators) return undefined;
  return {
    kind: 'sequential-operator',
    limits: true,
    cause: { type: 'software' },
    operators: [heaviest.id],
    figures: { busy: stage.busy, most: elementsPerSecond(heaviest.resourceAccountedRate) },
    fix: { type: 'advice' },
    gain: gainOf(
      analysis,
      ({ kind, id }) => (kind === 'stage' && id === stage.id) || (kind === 'sequential' && id === heaviest.id),
    ),
    doubts: [],
  };
};
