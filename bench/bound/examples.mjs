/**
 * What was forecast for the example pipelines from a recording of them as they are, against what they deliver when tuned. The forecast is
 * made, and kept in a file, before there is a plan; where the plan has a cache, it is the forecast for that cache that counts.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { predict } from 'venturi';
import { medianInterval, orAbsent } from '../harness.mjs';
import { describe, NAIVE } from '../tune/changes.mjs';
import { example, NAMES } from '../tune/examples.mjs';
import { Measured } from '../tune/measure.mjs';

const ROUNDS = 3;

export async function examplesOverBound(report, folder, { names = NAMES, seconds = 1 } = {}) {
  const all = [];
  for (const name of names) {
    const title = `examples/${name}`;
    const ratio = await orAbsent(report, title, () => overBound(report, title, example(name), { folder, seconds }));
    if (ratio !== undefined) all.push({ name, ratio });
  }
  const byRatio = all.sort((a, b) => a.ratio.value - b.ratio.value);
  for (const [which, at, goal] of [
    ['worst', 0, '>= 0.8'],
    ['best', -1, '<= 1.02'],
  ]) {
    const found = byRatio.at(at);
    if (found === undefined) continue;
    const { name, ratio } = found;
    report({ case: `${which}/measured-over-bound`, ...ratio, unit: 'of bound', example: name, of: all.length, goal });
  }
}

async function overBound(report, title, pipeline, { folder, seconds }) {
  const measured = await new Measured(pipeline, { seconds, folder }).prepare();
  const recording = await measured.record(NAIVE, 'as-it-is');
  const saved = join(folder, `${pipeline.name}-forecast.json`);
  writeFileSync(saved, JSON.stringify((await predict(recording, { root: pipeline.root })).forecast));
  const tuned = await measured.tune();
  const runs = [];
  for (let round = 0; round < ROUNDS; round++) runs.push((await measured.once(tuned.actions)).rate);
  const forecast = JSON.parse(readFileSync(saved, 'utf8'));
  const cache = tuned.actions.find(({ kind }) => kind === 'cache')?.operator;
  const bound = cache === undefined ? forecast : forecast.caches.find(({ operator }) => operator === cache);
  if (bound === undefined) throw new Error(`nothing was forecast for a cache behind ${cache}`);
  const ratio = medianInterval(runs.map(rate => rate / bound.rate.estimate));
  report({
    case: title,
    ...ratio,
    unit: 'of bound',
    bound: bound.rate.estimate,
    boundLow: bound.rate.low,
    boundHigh: bound.rate.high,
    binding: bound.binding.kind,
    ofTunersBound: (ratio.value * bound.rate.estimate) / tuned.bound,
    plan: describe(tuned.actions),
    runs: 'engine',
  });
  return ratio;
}
