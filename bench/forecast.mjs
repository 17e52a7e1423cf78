/**
 * How far forecasts are off, on pipelines that nobody fitted anything to: drawn from a seed (`--seed N`), each recorded once as its author
 * would write it, in one lane, and then measured in three other arrangements (`forecast/drawn.mjs`). Measured is the median of three
 * rounds, in each of which the recorded arrangement is measured too: its spread is the machine's own noise. Where a forecast is refused
 * because the recording is too short or too uneven, what that answer asks for is done, once: it is recorded for 30 s. A forecast that
 * cannot be told counts as a miss. `--only=cpu,tiny` leaves out the other families, `--pipelines=8` draws another number.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { measureCosts, predict } from 'venturi';
import { drawn, FAMILY_NAMES } from './forecast/drawn.mjs';
import { inProcess, median, orAbsent } from './harness.mjs';

const PIPELINE = fileURLToPath(new URL('./forecast/pipeline.mjs', import.meta.url));
const ROUNDS_SCRIPT = fileURLToPath(new URL('./forecast/rounds.mjs', import.meta.url));
const PIPELINES = 24;
const TIMES = { rounds: 3, recordedSeconds: 3.5, seconds: 0.7, warm: 0.25 };
/** What `predict` asks for where a recording is too short. */
const LONGER_SECONDS = 30;

export default async function forecast(report, { args }) {
  const option = (name, otherwise) =>
    args.find(arg => arg.startsWith(`--${name}=`))?.slice(name.length + 3) ??
    (args.includes(`--${name}`) ? args[args.indexOf(`--${name}`) + 1] : otherwise);
  const seed = Number(option('seed', '1'));
  const families = option('only', FAMILY_NAMES.join(',')).split(',');
  if (!Number.isSafeInteger(seed)) throw new Error(`--seed takes a whole number, not ${option('seed')}.`);
  const folder = mkdtempSync(join(tmpdir(), 'venturi-forecast-'));
  // What the machine costs is measured for these recordings, not taken from earlier ones; children inherit the folder.
  const { TMPDIR } = process.env;
  process.env.TMPDIR = folder;
  try {
    await measureCosts();
    const pipelines = drawn(seed, Number(option('pipelines', PIPELINES)), availableParallelism());
    const results = [];
    for (const pipeline of pipelines.filter(({ family }) => families.includes(family))) {
      const result = await orAbsent(report, pipeline.name, () => outcome(pipeline, folder));
      if (result === undefined) continue;
      for (const facts of result.forecasts) report(facts);
      results.push(result);
    }
    for (const facts of summaries(results, seed)) report(facts);
  } finally {
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Of one pipeline: what was forecast for each way and what came of it, and the spread of the recorded arrangement. */
async function outcome({ name, spec, ways }, folder) {
  const record = join(folder, `${name}.venturi`);
  const inRounds = times =>
    inProcess(process.execPath, [ROUNDS_SCRIPT, JSON.stringify({ file: PIPELINE, spec, ways, record, ...times })], {
      GLIBC_TUNABLES: 'glibc.malloc.mxfast=0',
      ...process.env,
    });
  const { rates } = await inRounds(TIMES);
  const asItIs = rates.map(round => round.asItIs);
  const measured = ways.map((way, at) => {
    const arranged = rates.map(round => round.arranged[at]);
    const refused = arranged.find(rate => typeof rate !== 'number');
    if (refused !== undefined) throw new Error(`${name}/${way.name} does not run: ${refused.error}`);
    return median(arranged);
  });
  let found = await forecastsOf(record, ways);
  const isRecordedAgain = found.some(({ doubts }) => doubts.some(({ kind }) => kind === 'short'));
  if (isRecordedAgain) {
    rmSync(record, { recursive: true, force: true });
    await inRounds({ ...TIMES, rounds: 0, recordedSeconds: LONGER_SECONDS });
    found = await forecastsOf(record, ways);
  }
  const again = isRecordedAgain ? { recordedSeconds: LONGER_SECONDS } : {};
  const forecasts = ways.map((way, at) => ({ ...told(`${name}/${way.name}`, measured[at], found[at]), ...again }));
  rmSync(record, { recursive: true, force: true });
  return { forecasts, noise: (Math.max(...asItIs) - Math.min(...asItIs)) / median(asItIs) };
}

/** What is forecast for each way, one after the other. */
async function forecastsOf(record, ways) {
  const found = [];
  for (const { actions } of ways) found.push(await forecastOf(record, actions));
  return found;
}

/** What is forecast for a recorded pipeline once these changes are made to it. */
async function forecastOf(record, actions) {
  const changes = actions.map(action => ({ action, reason: 'binds' }));
  const { planned, forecast: found } = await predict(record, { plan: { changes } });
  if (!planned) throw new Error('predict has not heard of the plan');
  return found;
}

/** Error and width of a forecast that cannot be told: JSON has no infinity. */
const UNTOLD = Number.MAX_VALUE;

/** A forecast beside what was measured. */
function told(name, measured, { rate, doubts }) {
  if (Number.isNaN(rate.estimate)) {
    const absent = `cannot tell: ${doubts.map(({ kind }) => kind).join(', ')}`;
    return { case: name, absent, measured, error: UNTOLD, holds: 0, width: UNTOLD };
  }
  const { estimate, low, high } = rate;
  return {
    case: name,
    value: estimate / measured,
    unit: 'of measured',
    measured,
    forecast: estimate,
    from: low,
    to: high,
    error: Math.abs(estimate / measured - 1),
    holds: low <= measured && measured <= high ? 1 : 0,
    width: low > 0 ? high / low : UNTOLD,
  };
}

/** The value that so large a share of all does not exceed. */
function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)];
}

function* summaries(results, seed) {
  const all = results.flatMap(({ forecasts }) => forecasts);
  const errors = all.map(({ error }) => error);
  const recordedAgain = all.filter(({ recordedSeconds }) => recordedSeconds !== undefined).length;
  const untold = all.filter(({ absent }) => absent !== undefined).length;
  const common = { seed, pipelines: results.length, forecasts: all.length };
  const noise = results.map(result => result.noise);
  yield {
    case: 'median-error',
    value: quantile(errors, 0.5),
    unit: 'of measured',
    goal: '<= 0.15',
    ...common,
    cannotTell: untold,
    recordedAgain,
  };
  yield { case: 'p90-error', value: quantile(errors, 0.9), unit: 'of measured', goal: '<= 0.35', ...common };
  yield {
    case: 'band/coverage',
    value: all.filter(({ holds }) => holds === 1).length / all.length,
    unit: 'share',
    goal: '>= 0.85',
    ...common,
  };
  yield {
    case: 'band/width',
    value: quantile(
      all.map(({ width }) => width),
      0.5,
    ),
    unit: 'high / low',
    goal: '<= 2',
    ...common,
  };
  yield {
    case: 'noise',
    value: median(noise),
    low: Math.min(...noise),
    high: Math.max(...noise),
    unit: '(most - least) / median',
    ...common,
    rounds: TIMES.rounds,
    cores: availableParallelism(),
  };
}
