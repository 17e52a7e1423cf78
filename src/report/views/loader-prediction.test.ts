import { describe, expect, it } from 'vitest';
import { assumptionsOf, forecastLoader, type LoaderWhatIf } from '../../prediction/loader/forecast.ts';
import { preparing, profile, step } from '../../prediction/loader/profile.fixture.ts';
import { chooseSetting } from '../../tuning/loader/choose.ts';
import type { ProgramPrediction } from '../results/program-prediction.ts';
import { imagesInfo } from '../results/run-info.fixture.ts';
import { renderText } from '../text.ts';
import { loaderPredictionReport } from './loader-prediction.ts';

/** Two spawned workers that stay: 10 s to start, then a pass of 100 batches in 2 s. */
const recorded = profile(
  { workers: 2, preparing: Array.from({ length: 30 }, () => preparing(0, 40)), steps: [step(0, 10), step(0, 10)] },
  {
    setting: { workers: 2, prefetch: 2, pinned: false, persistent: true, inOrder: true },
    passBatches: 100,
    workerCost: { each: 0, start: 10e9 },
    startMethod: 'spawn',
    measured: 400,
  },
);

function predicted(whatIf: LoaderWhatIf): ProgramPrediction {
  const { setting } = recorded;
  return {
    schemaVersion: 1,
    name: 'train',
    folder: 'train.venturi',
    host: imagesInfo.manifest.host,
    whatIf,
    loaders: [
      {
        loader: 'train',
        location: 'train.py:7',
        recorded: setting,
        batchSize: 8,
        measured: 400,
        ownError: 1,
        othersBusy: 0,
        forecasts: [0, 2].map(workers => forecastLoader(recorded, { ...setting, workers }, whatIf, 1)),
        choice: chooseSetting(recorded, undefined, whatIf),
        assumptions: assumptionsOf(recorded, whatIf),
      },
    ],
    problems: [],
  };
}

const text = (whatIf: LoaderWhatIf): string => renderText(loaderPredictionReport(predicted(whatIf)), { width: 160 });

describe('the report of forecasts of a loader', () => {
  it('says of how many epochs, and shows the start apart from the rate', () => {
    const once = text({ epochs: 1 });
    expect(once).toMatch(/^train with 1 epoch could deliver/);
    expect(once).toContain('→ num_workers=0 (train.py:7)');
    expect(once).toContain('by simulation, over 1 epoch, 5.0 s with this setting');
    // Elements a second over the epoch and in the steady state; start-up, first epoch, later ones.
    expect(once).toMatch(/2 \(recorded\) +66\.\d .* 4\d\d\.\d +10 s +12 s +2\.0 s/);
  });

  it('says where the number of epochs is unknown', () => {
    const many = text({});
    expect(many).toContain('by simulation, over many epochs');
    expect(many).toMatch(/2 \(recorded\) +[34]\d\d/);
    expect(many).toContain('--epochs gives it');
  });
});
