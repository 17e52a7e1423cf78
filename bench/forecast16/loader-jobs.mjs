/**
 * DataLoader jobs whose speed depends on num_workers, with constants drawn from a seed (`loader_job.py` has the work): each is recorded once, at one
 * or two workers, and forecast at others. What it delivers there, and how long its consumer waits, is told by the program by itself, in plain
 * Python, round by round, the recorded number of workers among them.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { predictProgram, recordProgram } from 'venturi';
import { noiseOf, told } from '../forecast/outcome.mjs';
import { inProcess, median, medianOf } from '../harness.mjs';
import { randomOf } from '../virtual/random.mjs';

const SCRIPT = fileURLToPath(new URL('./loader_job.py', import.meta.url));

/** Constants of each job: elements of a batch, what an element takes, and the step. */
const JOBS = {
  pixels: random => ({ batch: pick(random, 8, 24), side: pick(random, 64, 224), ...asleep(random, 5, 40) }),
  tokens: random => ({ batch: pick(random, 16, 48), words: pick(random, 2000, 6000), ...asleep(random, 5, 40) }),
  waves: random => ({
    batch: pick(random, 8, 16),
    rounds: pick(random, 4, 12),
    step: 'learning',
    size: pick(random, 96, 256),
  }),
  remote: random => ({ batch: pick(random, 4, 12), ms: random.between(8, 25), ...asleep(random, 5, 30) }),
  stored: random => ({
    batch: pick(random, 8, 16),
    ms: random.between(2, 8),
    rounds: pick(random, 2, 6),
    ...asleep(random, 3, 30),
  }),
};

export const JOB_NAMES = Object.keys(JOBS);

const pick = (random, low, high) => Math.round(random.logBetween(low, high));
const asleep = (random, low, high) => ({ step: 'asleep', stepMs: random.logBetween(low, high) });

/** `{ name, job, recorded, workers }` of each: recorded at one worker and at two by turns. */
export const jobsOf = (seed, lanes) =>
  JOB_NAMES.map((job, at) => {
    const recorded = (at % 2) + 1;
    const constants = JOBS[job](randomOf(seed * 3001 + at));
    const workers = lanes.filter(each => each > recorded);
    return { name: `loader-${job}-from-${recorded}`, request: { job, ...constants }, recorded, workers };
  });

/** What was forecast for each number of workers and what came of it, the share of waiting among it, and the spread of the recorded number. */
export async function loaderOutcome(python, { name, request, recorded, workers }, folder, times) {
  const { rounds, recordedSeconds, seconds } = times;
  const record = join(folder, 'loader.venturi');
  const commandOf = (count, length) => [SCRIPT, JSON.stringify({ ...request, workers: count, seconds: length })];
  const { recording } = await recordProgram({
    command: [python, ...commandOf(recorded, recordedSeconds)],
    out: record,
    outputToError: true,
  });
  const prediction = await predictProgram(recording, { workers });
  const [{ forecasts }] = prediction.loaders;
  rmSync(record, { recursive: true, force: true });
  const counts = [recorded, ...workers];
  const measured = new Map(counts.map(count => [count, []]));
  for (let round = 0; round < rounds; round++) {
    for (const count of round % 2 === 0 ? counts : counts.toReversed())
      measured.get(count).push(await inProcess(python, commandOf(count, seconds)));
  }
  return {
    forecasts: forecasts.map(({ setting, rate, steady, waitShare, bound }) => {
      const runs = measured.get(setting.workers);
      const isTold = Number.isFinite(rate.estimate);
      const its = isTold ? { rate: steady, doubts: [] } : { rate, doubts: [{ kind: 'wide' }] };
      const waits = medianOf(runs, 'waiting');
      return {
        ...told(`${name}/workers-${setting.workers}`, medianOf(runs, 'elementsPerSecond'), its),
        bound,
        waiting: waits,
        waitingForecast: waitShare,
        waitingOff: Math.abs(waitShare - waits),
      };
    }),
    noise: noiseOf(measured.get(recorded).map(({ elementsPerSecond }) => elementsPerSecond)),
  };
}

/** Of forecasts that have a share of waiting: how far it is off. */
export function* waitingOf(forecasts, facts) {
  const offs = forecasts.flatMap(({ waitingOff }) => waitingOff ?? []);
  if (offs.length === 0) return;
  yield {
    case: 'waiting-share',
    value: Math.max(...offs),
    low: Math.min(...offs),
    high: Math.max(...offs),
    unit: 'off at most',
    goal: '<= 0.1',
    median: median(offs),
    within: offs.filter(off => off <= 0.1).length,
    ...facts,
    forecasts: offs.length,
  };
}
