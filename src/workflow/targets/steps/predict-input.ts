import { estimateIfNarrow } from '../../../math/narrow-interval.ts';
import { mean } from '../../../math/statistics.ts';
import { VenturiError } from '../../../model/errors.ts';
import { NS_PER_SECOND, ns } from '../../../model/units.ts';
import { forecastLoader } from '../../../prediction/loader/forecast.ts';
import { withCores } from '../../../prediction/loader/machine.ts';
import type { LoaderProfile } from '../../../prediction/loader/profile.ts';
import { inputProfile, type NoInputProfile } from '../../../prediction/replay/input-profile.ts';
import type { InputForecast, InputPrediction } from '../../../report/results/input-prediction.ts';
import { openSteps } from './read.ts';

export interface PredictInputRequest {
  readonly workers?: readonly number[] | undefined;
  readonly cores?: number | undefined;
  readonly prefetch?: number | undefined;
  readonly stepMarker?: string | undefined;
}

/** What steps would take with other numbers of workers, from a trace of steps that prepare their own batches. */
export async function predictInput(path: string, request: PredictInputRequest): Promise<InputPrediction> {
  const { heading, trace } = await openSteps(path, request.stepMarker);
  const recorded = inputProfile(trace, 0);
  if (typeof recorded === 'string') throw refusal(path, recorded);
  const workers = request.workers ?? usualWorkers(recorded);
  // Without a word of cores, there is one for each worker and one for the training thread.
  const profile = { ...recorded, machine: withCores(recorded.machine, request.cores ?? 1 + Math.max(...workers)) };
  const { prefetch = profile.setting.prefetch } = request;
  return {
    schemaVersion: 1,
    name: heading.name,
    folder: heading.folder,
    whatIf: { workers, cores: request.cores },
    recorded: {
      steps: profile.steps.length,
      step: ns(NS_PER_SECOND / profile.measured),
      input: ns(mean(profile.preparing.map(({ cpu }) => cpu))),
    },
    forecasts: workers.map((count): InputForecast => {
      const forecast = forecastLoader(profile, { ...profile.setting, workers: count, prefetch });
      const { estimate, low, high, confidence } = estimateIfNarrow(forecast.rate);
      return {
        workers: count,
        step: { estimate: NS_PER_SECOND / estimate, low: NS_PER_SECOND / high, high: NS_PER_SECOND / low, confidence },
        waitShare: forecast.waitShare,
        bound: forecast.bound,
      };
    }),
    problems: [],
  };
}

/** None, and doublings up to a number that prepares batches at least as fast as steps consume them. */
function usualWorkers({ preparing, steps }: LoaderProfile): readonly number[] {
  const needed = mean(preparing.map(({ cpu }) => cpu)) / Math.max(1, mean(steps.map(({ cpu }) => cpu)));
  const counts = [0, 1];
  while ((counts.at(-1) ?? 0) < needed) counts.push(2 * (counts.at(-1) ?? 1));
  return counts;
}

const REASONS: Readonly<Record<NoInputProfile, string>> = {
  'no-input': 'has no event of a DataLoader',
  workers: 'is of a DataLoader with workers, whose preparation is in other processes than the one that was profiled',
};

const refusal = (path: string, why: NoInputProfile): VenturiError =>
  new VenturiError('VENTURI_STEPS_NONE', `${path} ${REASONS[why]}: what other numbers of workers bring is not in it.`, {
    remedy: 'Profile it with num_workers=0, or record the program: venturi record -- COMMAND.',
  });
