/**
 * How often the band of a forecast holds: each job is recorded at 0, 1, 2 and 4 workers, and forecast from each recording at the
 * other three. What it really delivers there is told by runs of the program by itself, with its own clock. `forecast/jobs.py` has the jobs.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { predictProgram, recordProgram } from 'venturi';
import { inProcess, median, shareInterval } from '../harness.mjs';
import { PYTHON_ABSENT, python } from '../probe/python.mjs';

const JOBS = fileURLToPath(new URL('./forecast/jobs.py', import.meta.url));
const NAMES = ['fetch', 'uneven', 'near', 'words', 'photos', 'spectra', 'unpacked'];
const COUNTS = [0, 1, 2, 4];
/** Runs by itself at each number of workers: before and after the recordings, the second time the other way round; sleep is the same each time. */
const ROUNDS = 2;
const ASLEEP = ['fetch', 'uneven', 'near'];
const roundsOf = name => (ASLEEP.includes(name) ? 1 : ROUNDS);

/** Yields one result for every forecast, then what they come to. */
export async function* forecastResults({ jobs = JOBS, names = NAMES, keep = undefined } = {}) {
  if (python === undefined) {
    yield { case: 'band-coverage', absent: PYTHON_ABSENT };
    yield { case: 'band-width', absent: PYTHON_ABSENT };
    return;
  }
  const results = [];
  // What the machine costs is measured for these recordings, not taken from earlier ones.
  const { TMPDIR } = process.env;
  const costs = mkdtempSync(join(tmpdir(), 'venturi-forecast-costs-'));
  process.env.TMPDIR = costs;
  try {
    for (const name of names) {
      for (const result of await jobResults(jobs, name, keep)) {
        results.push(result);
        yield result;
      }
    }
  } finally {
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
    rmSync(costs, { recursive: true, force: true });
  }
  yield* summaries(results);
}

function* summaries(results) {
  const held = results.filter(({ holds }) => holds === 1).length;
  const widths = results.map(({ width }) => width ?? Number.POSITIVE_INFINITY);
  yield {
    case: 'band-coverage',
    ...shareInterval(held, results.length),
    unit: 'share',
    goal: 'at least 0.9',
    forecasts: results.length,
    held,
    refused: results.filter(({ width }) => width === undefined).length,
  };
  yield {
    case: 'band-width',
    value: median(widths),
    low: Math.min(...widths),
    high: Math.max(...widths),
    unit: 'times',
    goal: 'at most 1.5',
  };
}

/** Every forecast of one job. */
async function jobResults(jobs, name, keep) {
  const folder = keep === undefined ? mkdtempSync(join(tmpdir(), 'venturi-forecast-')) : join(keep, name);
  const times = new Map(COUNTS.map(workers => [workers, []]));
  const alone = async workers => {
    const { elements, seconds } = await inProcess(python, [jobs, name, workers]);
    times.get(workers).push({ elements, seconds });
  };
  try {
    const recordings = new Map();
    for (let round = 0; round < roundsOf(name); round++) {
      for (const workers of round % 2 === 0 ? COUNTS : COUNTS.toReversed()) {
        await alone(workers);
        if (round === 0) recordings.set(workers, await record(jobs, name, workers, folder));
      }
    }
    const measured = new Map([...times].map(([workers, runs]) => [workers, rateOf(runs)]));
    const results = [];
    for (const [recorded, recording] of recordings)
      results.push(...(await compare(name, recorded, recording, measured)));
    return results;
  } finally {
    if (keep === undefined) rmSync(folder, { recursive: true, force: true });
  }
}

const sum = (runs, of) => runs.reduce((all, run) => all + of(run), 0);
const rateOf = runs => sum(runs, run => run.elements) / sum(runs, run => run.seconds);

async function record(jobs, name, workers, folder) {
  const { recording } = await recordProgram({
    command: [python, jobs, name, String(workers)],
    out: join(folder, `workers-${workers}`),
    outputToError: true,
  });
  return recording;
}

async function compare(name, recorded, recording, measured) {
  const others = COUNTS.filter(workers => workers !== recorded);
  const prediction = await predictProgram(recording, { workers: others });
  const [{ forecasts, ownError, othersBusy }] = prediction.loaders;
  return forecasts.map(({ setting, rate, waitShare, waitBand, bound }) => {
    const truth = measured.get(setting.workers);
    const isTold = Number.isFinite(rate.estimate);
    return {
      case: `${name}/from-${recorded}/workers/${setting.workers}`,
      value: isTold ? rate.estimate / truth : Number.NaN,
      low: rate.low / truth,
      high: rate.high / truth,
      unit: 'times',
      holds: isTold && rate.low <= truth && truth <= rate.high ? 1 : 0,
      width: isTold ? rate.high / rate.low : undefined,
      measured: truth,
      measuredAtRecorded: measured.get(recorded),
      forecast: rate.estimate,
      waiting: waitShare,
      waitingLow: waitBand.low,
      waitingHigh: waitBand.high,
      bound,
      ownError,
      othersBusy,
    };
  });
}
