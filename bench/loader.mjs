/**
 * What a forecast from one recording is worth: a job is recorded at 0, 1 and 2 workers, from each of these forecast at many,
 * and measured at each, without the probe and in turn. `--record` and `--workers` name other numbers, `--job` one job alone.
 * `--compare FOLDER` compares what `loader/measure.py` brought from another machine.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { predictProgram } from 'venturi';
import { inFolder, median, option, PROBE, printed } from './harness.mjs';
import { isPythonAbsent, python } from './probe/python.mjs';

const MEASURE = fileURLToPath(new URL('./loader/measure.py', import.meta.url));

/** `images`: all preparation is CPU. `storage`: each image also takes 10 ms to come, so that workers may outnumber cores. */
const JOBS = { images: [], storage: ['--latency', '10'] };

export default async function loader(report, { args }) {
  const given = (name, otherwise) => [`--${name}`, option(args, name) ?? otherwise];
  const brought = option(args, 'compare');
  if (brought !== undefined) {
    await compareAll(report, '', brought);
    return;
  }
  const wanted = option(args, 'job');
  for (const [job, options] of Object.entries(JOBS)) {
    if (wanted !== undefined && wanted !== job) continue;
    if (isPythonAbsent(report, [`${job}/from-2/workers/2`])) continue;
    await inFolder(async folder => {
      const settings = [...given('record', '0,1,2'), ...given('workers', '0,1,2,3,4')];
      const rounds = [...given('rounds', 3), ...given('seconds', 4)];
      const env = { ...process.env, VENTURI_PROBE: PROBE };
      await printed(python, [MEASURE, folder, ...settings, ...rounds, ...options], { env });
      await compareAll(report, `${job}/`, folder);
    });
  }
}

async function compareAll(report, prefix, folder) {
  const measured = JSON.parse(readFileSync(join(folder, 'measured.json'), 'utf8'));
  for (const recorded of measured.recorded) {
    const run = join(folder, `workers-${recorded}.venturi`);
    await compare(report, `${prefix}from-${recorded}/`, run, { ...measured, recorded });
  }
}

async function compare(report, prefix, run, { rounds, recorded, device, cores, torch }) {
  const counts = [...new Set(rounds.map(({ workers }) => workers))].sort((a, b) => a - b);
  const prediction = await predictProgram(run, { workers: counts });
  const [{ forecasts, ownError, choice }] = prediction.loaders;
  const ratesAt = workers => rounds.filter(round => round.workers === workers).map(({ rate }) => rate);
  const base = median(ratesAt(recorded).length > 0 ? ratesAt(recorded) : ratesAt(counts[0]));
  // Measurements begin once every worker has delivered.
  for (const { setting, steady: rate, bound } of forecasts) {
    const rates = ratesAt(setting.workers);
    report({
      case: `${prefix}workers/${setting.workers}`,
      value: rate.estimate / median(rates),
      low: rate.estimate / Math.max(...rates),
      high: rate.estimate / Math.min(...rates),
      unit: 'times',
      goal: '0.85 to 1.15',
      measured: median(rates),
      overRecorded: median(rates) / base,
      predicted: rate.estimate,
      predictedLow: rate.low,
      predictedHigh: rate.high,
      bound,
      recorded,
      cores,
      device,
      torch,
    });
  }
  report({
    case: `${prefix}recorded-over-model`,
    value: ownError,
    unit: 'times',
    goal: '0.85 to 1.15',
    advisedWorkers: choice.best.setting.workers,
    advisedPrefetch: choice.best.setting.prefetch,
    advisedRate: choice.best.rate.estimate,
  });
}
