/**
 * What was forecast for the example pipelines from a recording of them as they are, against what they deliver when tuned. In every round
 * the pipeline is recorded anew, the forecast is made and kept in a file, and then the tuned run is made: both meet the same machine. The
 * first forecast is there before there is a plan; where the plan has a cache, it is the forecast for that cache that counts.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { predict } from 'venturi';
import { median, medianInterval, orAbsent } from '../harness.mjs';
import { describe, NAIVE } from '../tune/changes.mjs';
import { example, NAMES } from '../tune/examples.mjs';
import { Measured } from '../tune/measure.mjs';

/** The machine's speed changes by the second and by a tenth and more: it takes many rounds to see through that. */
const ROUNDS = 11;
/** Tuned runs are measured for so many times `seconds`. */
const TUNED = 2;

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
  const saved = round => join(folder, `${pipeline.name}-forecast-${round}.json`);
  const foresee = async round => {
    const recording = await measured.record(NAIVE, `as-it-is-${round}`);
    writeFileSync(saved(round), JSON.stringify((await predict(recording, { root: pipeline.root })).forecast));
  };
  let tuned;
  const rounds = [];
  for (let round = 0; round < ROUNDS; round++) {
    await foresee(round);
    tuned ??= await measured.tune();
    const { rate } = await measured.once(tuned.actions, { seconds: TUNED * seconds });
    const bound = boundOf(JSON.parse(readFileSync(saved(round), 'utf8')), tuned.actions);
    rounds.push({ rate, bound, ratio: rate / bound.rate.estimate });
  }
  const ratio = medianInterval(rounds.map(each => each.ratio));
  const middle = end => median(rounds.map(({ bound }) => bound.rate[end]));
  report({
    case: title,
    ...ratio,
    unit: 'of bound',
    bound: middle('estimate'),
    boundLow: middle('low'),
    boundHigh: middle('high'),
    binding: rounds.at(-1).bound.binding.kind,
    measured: median(rounds.map(({ rate }) => rate)),
    plan: describe(tuned.actions),
    runs: 'engine',
  });
  return ratio;
}

function boundOf(forecast, actions) {
  const cache = actions.find(({ kind }) => kind === 'cache')?.operator;
  const bound = cache === undefined ? forecast : forecast.caches.find(({ operator }) => operator === cache);
  if (bound === undefined) throw new Error(`nothing was forecast for a cache behind ${cache}`);
  return bound;
}
