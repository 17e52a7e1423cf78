/**
 * What was forecast for the example pipelines from a recording of them as they are, against what they deliver when tuned. In every round
 * a pipeline is recorded anew, the forecast is made and kept in a file, and then the tuned run is made: both meet the same machine. The
 * first forecast is there before there is a plan; where the plan has a cache, it is the forecast for that cache that counts. A round goes
 * through all pipelines, so that all of them meet quiet minutes and disturbed ones alike.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { predict } from 'venturi';
import { median, middleMeanInterval, orAbsent } from '../harness.mjs';
import { describe, NAIVE } from '../tune/changes.mjs';
import { example, NAMES } from '../tune/examples.mjs';
import { Measured } from '../tune/measure.mjs';

/** The machine's speed changes by the second and by a tenth and more: it takes many rounds, and long ones, to see through that. */
const ROUNDS = 11;
/** Both runs of a round take so many times `seconds`. */
const LONGER = 4;

export async function examplesUnderCeiling(report, folder, { names = NAMES, seconds = 1, rounds = ROUNDS } = {}) {
  const trials = names.map(name => new Trial(example(name), { folder, seconds }));
  const there = new Set(trials);
  for (let round = 0; round < rounds; round++) {
    for (const trial of there) {
      const done = await orAbsent(report, `examples/${trial.name}`, () => trial.round());
      if (done === undefined) there.delete(trial);
    }
  }
  for (const trial of there) report(trial.outcome);
  const all = [...there].sort((a, b) => a.ratio.value - b.ratio.value);
  for (const [which, at, goal] of [
    ['worst', 0, '>= 0.8'],
    ['best', -1, '<= 1.02'],
  ]) {
    const found = all.at(at);
    if (found === undefined) continue;
    const { name, ratio } = found;
    report({
      case: `${which}/measured-over-ceiling`,
      ...ratio,
      unit: 'of ceiling',
      example: name,
      of: all.length,
      goal,
    });
  }
  const above = all.filter(trial => trial.isAboveInterval).map(({ name }) => name);
  report({
    case: 'above-interval',
    value: above.length,
    unit: 'examples',
    names: above.join(' '),
    of: all.length,
    goal: '0',
  });
}

/** One of the pipelines, and what has come out so far. */
class Trial {
  #rounds = [];
  #tuned;

  constructor(pipeline, { folder, seconds }) {
    this.name = pipeline.name;
    this.root = pipeline.root;
    this.folder = folder;
    this.seconds = seconds;
    this.measured = new Measured(pipeline, { seconds, folder });
  }

  /** How many there have been. */
  async round() {
    const at = this.#rounds.length;
    if (at === 0) await this.measured.prepare();
    const saved = join(this.folder, `${this.name}-ceiling-${at}.json`);
    const recording = await this.measured.record(NAIVE, `as-it-is-${at}`, { seconds: LONGER * this.seconds });
    writeFileSync(saved, JSON.stringify((await predict(recording, { root: this.root })).ceiling));
    this.#tuned ??= await this.measured.tune();
    const { rate } = await this.measured.once(this.#tuned.actions, {
      seconds: LONGER * this.seconds,
      warm: this.seconds,
    });
    const ceiling = ceilingOf(JSON.parse(readFileSync(saved, 'utf8')), this.#tuned.actions);
    return this.#rounds.push({ rate, ceiling, ratio: rate / ceiling.rate.estimate });
  }

  get ratio() {
    return middleMeanInterval(this.#rounds.map(({ ratio }) => ratio));
  }

  #middle(end) {
    return median(this.#rounds.map(({ ceiling }) => ceiling.rate[end]));
  }

  /** Also the low end of what was measured is more than the high end of the ceiling. */
  get isAboveInterval() {
    return this.ratio.low > this.#middle('high') / this.#middle('estimate');
  }

  get outcome() {
    return {
      case: `examples/${this.name}`,
      ...this.ratio,
      unit: 'of ceiling',
      ceiling: this.#middle('estimate'),
      ceilingLow: this.#middle('low'),
      ceilingHigh: this.#middle('high'),
      binding: this.#rounds.at(-1).ceiling.binding.kind,
      measured: median(this.#rounds.map(({ rate }) => rate)),
      plan: describe(this.#tuned.actions),
      rounds: this.#rounds.map(({ ratio }) => Number(ratio.toFixed(2))).join(' '),
      runs: 'engine',
    };
  }
}

function ceilingOf(forecast, actions) {
  const cache = actions.find(({ kind }) => kind === 'cache')?.operator;
  const ceiling = cache === undefined ? forecast : forecast.caches.find(({ operator }) => operator === cache);
  if (ceiling === undefined) throw new Error(`nothing was forecast for a cache behind ${cache}`);
  return ceiling;
}
