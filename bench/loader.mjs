/**
 * What a forecast from one recording is worth: a job is recorded at 2 workers, forecast at many, and measured at each,
 * without the probe and in turn. `--run FOLDER --measured FILE` compare what `loader/measure.py` brought from another
 * machine; else it runs here, with the workers that `--workers 1,2,4` names.
 */
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { predictProgram } from 'venturi';
import { median } from './harness.mjs';

const MEASURE = fileURLToPath(new URL('./loader/measure.py', import.meta.url));
const PROBE = fileURLToPath(new URL('./node_modules/venturi/python', import.meta.url));

/** `images`: all preparation is CPU. `storage`: each image also takes 10 ms to come, so that workers may outnumber cores. */
const JOBS = { images: [], storage: ['--latency', '10'] };

export default async function loader(report, { args }) {
  const given = name => args[args.indexOf(name) + 1];
  if (args.includes('--run')) {
    await compare(report, '', given('--run'), JSON.parse(readFileSync(given('--measured'), 'utf8')));
    return;
  }
  const python = [process.env.VENTURI_PYTHON, 'python3', '/usr/bin/python3'].find(
    each =>
      each !== undefined && spawnSync(each, ['-c', 'import torch, torchvision'], { stdio: 'ignore' }).status === 0,
  );
  for (const [job, options] of Object.entries(JOBS)) {
    if (python === undefined) {
      const absent = 'no Python with torch and torchvision; VENTURI_PYTHON names one';
      report({ case: `${job}/workers/2/predicted-over-measured`, absent });
      continue;
    }
    const folder = mkdtempSync(join(tmpdir(), 'venturi-loader-bench-'));
    try {
      const workers = args.includes('--workers') ? given('--workers') : '1,2,4';
      await promisify(execFile)(python, [MEASURE, folder, '--workers', workers, ...options], {
        env: { ...process.env, VENTURI_PROBE: PROBE },
      });
      const measured = JSON.parse(readFileSync(join(folder, 'measured.json'), 'utf8'));
      await compare(report, `${job}/`, join(folder, 'recorded.venturi'), measured);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
}

async function compare(report, prefix, run, { rounds, recorded, device, cores, torch }) {
  const counts = [...new Set(rounds.map(({ workers }) => workers))].sort((a, b) => a - b);
  const prediction = await predictProgram(run, { workers: counts });
  const [{ forecasts, ownError, choice }] = prediction.loaders;
  const ratesAt = workers => rounds.filter(round => round.workers === workers).map(({ rate }) => rate);
  const base = median(ratesAt(recorded).length > 0 ? ratesAt(recorded) : ratesAt(counts[0]));
  for (const { setting, rate, bound } of forecasts) {
    const rates = ratesAt(setting.workers);
    report({
      case: `${prefix}workers/${setting.workers}/predicted-over-measured`,
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
