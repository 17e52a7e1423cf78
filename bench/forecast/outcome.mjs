/**
 * One drawn pipeline: recorded once as it is, forecast in other arrangements, and measured in all of them by turns (`rounds.mjs`). Where a forecast
 * is refused because the recording is too short or too uneven, what that answer asks for is done, once: it is recorded for 30 s.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { predict } from 'venturi';
import { inProcess, median } from '../harness.mjs';

const PIPELINE = fileURLToPath(new URL('./pipeline.mjs', import.meta.url));
const ROUNDS_SCRIPT = fileURLToPath(new URL('./rounds.mjs', import.meta.url));
/** What `predict` asks for where a recording is too short. */
const LONGER_SECONDS = 30;

/**
 * What was forecast for each way and what came of it, and the spread of the recorded arrangement. `asRecorded`: changes that lead to that one, none
 * where the pipeline is recorded as its author would write it.
 */
export async function outcome({ name, spec, ways, asRecorded = [] }, folder, times) {
  const record = join(folder, `${name}.venturi`);
  const inRounds = more =>
    inProcess(
      process.execPath,
      [ROUNDS_SCRIPT, JSON.stringify({ file: PIPELINE, spec, ways, asRecorded, record, ...times, ...more })],
      { GLIBC_TUNABLES: 'glibc.malloc.mxfast=0', ...process.env },
    );
  const { rates } = await inRounds({});
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
    await inRounds({ rounds: 0, recordedSeconds: LONGER_SECONDS });
    found = await forecastsOf(record, ways);
  }
  const again = isRecordedAgain ? { recordedSeconds: LONGER_SECONDS } : {};
  const forecasts = ways.map((way, at) => ({ ...told(`${name}/${way.name}`, measured[at], found[at]), ...again }));
  rmSync(record, { recursive: true, force: true });
  return { forecasts, noise: noiseOf(asItIs) };
}

/** Spread of what was measured again and again. */
export const noiseOf = rates => (Math.max(...rates) - Math.min(...rates)) / median(rates);

/** What is forecast for each way, one after the other. */
async function forecastsOf(record, ways) {
  const found = [];
  for (const { actions } of ways) found.push(await forecastOf(record, actions));
  return found;
}

/** What is forecast for a recorded pipeline once these changes are made to it. */
async function forecastOf(record, actions) {
  const changes = actions.map(action => ({ action, reason: 'binds' }));
  const { arranged, forecast: found } = await predict(record, { plan: { changes } });
  if (arranged !== 'asked') throw new Error('predict has not heard of the plan');
  return found;
}

/** Error and width of a forecast that cannot be told: JSON has no infinity. */
const UNTOLD = Number.MAX_VALUE;

/** A forecast beside what was measured. */
export function told(name, measured, { rate, doubts }) {
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
