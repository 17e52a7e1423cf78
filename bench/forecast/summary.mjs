/** What forecasts (`told` of outcome.mjs) come to, all together. */
import { availableParallelism } from 'node:os';
import { median } from '../harness.mjs';

/** The value that so large a share of all does not exceed. */
function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)];
}

/** `facts` go with every figure. */
export function* errorsOf(forecasts, facts) {
  const errors = forecasts.map(({ error }) => error);
  const widths = forecasts.map(({ width }) => width);
  const common = { ...facts, forecasts: forecasts.length };
  yield {
    case: 'median-error',
    value: quantile(errors, 0.5),
    unit: 'of measured',
    goal: '<= 0.15',
    ...common,
    cannotTell: forecasts.filter(({ absent }) => absent !== undefined).length,
    recordedAgain: forecasts.filter(({ recordedSeconds }) => recordedSeconds !== undefined).length,
  };
  yield { case: 'p90-error', value: quantile(errors, 0.9), unit: 'of measured', goal: '<= 0.35', ...common };
  yield {
    case: 'band/coverage',
    value: forecasts.filter(({ holds }) => holds === 1).length / forecasts.length,
    unit: 'share',
    goal: '>= 0.85',
    ...common,
  };
  yield { case: 'band/width', value: quantile(widths, 0.5), unit: 'high / low', goal: '<= 2', ...common };
}

/** The machine's own: of each recorded arrangement, how far its rounds lie apart. */
export const noiseFigure = (noises, facts) => ({
  case: 'noise',
  value: median(noises),
  low: Math.min(...noises),
  high: Math.max(...noises),
  unit: '(most - least) / median',
  ...facts,
  cores: availableParallelism(),
});
