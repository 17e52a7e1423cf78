/**
 * Step by step on 16 cores, in virtual time: the rate by whose lanes are raised, what is expected of each step, and what other choices
 * would have brought. Plumber's figures 6, 7 and 13.
 */
import { medianInterval } from '../harness.mjs';
import { autotuneRate, local, localRate, ranked } from './rules.mjs';
import { randomWalk } from './search.mjs';
import { CORES, VirtualPipeline } from './virtual.mjs';

const STEPS = 24;
const WALKS = 9;

/** CPU seconds per minibatch: one operator far ahead of the others, and two in turn. */
const PIPELINES = {
  resnet: { read: 0.01, decode: 0.4, crop: 0.03, flip: 0.01, transpose: 0.05 },
  ssd: { read: 0.004, parse: 0.05, decode: 0.06, augment: 0.13, pack: 0.01 },
};

export async function figures(report, { folder }) {
  for (const [name, seconds] of Object.entries(PIPELINES)) {
    const pipeline = new VirtualPipeline(folder, seconds);
    await figures6And7(report, name, pipeline);
    await figure13(report, name, pipeline);
  }
}

/** Lanes step by step by a rule, which may end before `STEPS`. */
async function* byRule(pipeline, rule) {
  for (let lanes = pipeline.naive; lanes !== undefined; lanes = rule((await pipeline.at(lanes)).view)) yield lanes;
}

/** The rate after every step; one that has no further step stays where it is. */
async function ratesOf(pipeline, walk, steps = STEPS) {
  const rates = [];
  for await (const lanes of walk) {
    rates.push((await pipeline.at(lanes)).rate);
    if (rates.length > steps) break;
  }
  return Array.from({ length: steps + 1 }, (_, step) => rates[step] ?? rates.at(-1));
}

function* fromNaive(pipeline, walk) {
  yield pipeline.naive;
  yield* walk;
}

async function figures6And7(report, name, pipeline) {
  const start = await pipeline.at(pipeline.naive);
  const planned = (await pipeline.at(start.wanted)).rate;
  const plumber = await ratesOf(pipeline, byRule(pipeline, ranked));
  const allToOne = await ratesOf(pipeline, byRule(pipeline, local));
  /** Walks are followed until every operator has a lane for every core, to see where they arrive. */
  const toTheEnd = pipeline.operators.length * (CORES - 1);
  const walks = [];
  for (let seed = 1; seed <= WALKS; seed++) {
    walks.push(await ratesOf(pipeline, fromNaive(pipeline, randomWalk(pipeline.operators, CORES, seed)), toTheEnd));
  }
  const optimum = Math.max(planned, ...plumber, ...allToOne, ...walks.flat());
  const stepsTo95 = rates => rates.findIndex(rate => rate >= 0.95 * optimum);
  report({
    case: `figure6/${name}/steps-to-95-percent`,
    value: stepsTo95([start.rate, planned]),
    unit: 'steps',
    oneByOne: stepsTo95(plumber),
    allToSlowest: stepsTo95(allToOne),
    randomWalks: walks.map(stepsTo95).join(' '),
    runs: 'virtual time',
  });
  for (let step = 0; step <= STEPS; step++) {
    const chance = medianInterval(walks.map(walk => walk[step] / optimum));
    report({
      case: `figure6/${name}/step-${step}`,
      value: (step === 0 ? start.rate : planned) / optimum,
      unit: 'of optimum',
      oneByOne: plumber[step] / optimum,
      allToSlowest: allToOne[step] / optimum,
      randomWalk: chance.value,
      randomWalkLow: chance.low,
      randomWalkHigh: chance.high,
      runs: 'virtual time',
    });
  }
  let step = 0;
  for await (const lanes of byRule(pipeline, ranked)) {
    const { rate, ceiling, view } = await pipeline.at(lanes);
    report({
      case: `figure7/${name}/step-${step}`,
      value: ceiling / optimum,
      unit: 'of optimum',
      local: localRate(view) / optimum,
      autotune: autotuneRate(view) / optimum,
      measured: rate / optimum,
      runs: 'virtual time',
    });
    if (++step > STEPS) break;
  }
}

/** At each step of the one-by-one rule: its choice over the best of the others. */
async function figure13(report, name, pipeline) {
  let step = 0;
  for await (const lanes of byRule(pipeline, ranked)) {
    const { view } = await pipeline.at(lanes);
    const chosen = ranked(view);
    if (chosen === undefined || ++step > STEPS) return;
    const others = [];
    for (const id of pipeline.operators) {
      const other = new Map([...lanes, [id, lanes.get(id) + 1]]);
      if (other.get(id) !== chosen.get(id)) others.push((await pipeline.at(other)).rate);
    }
    const { rate } = await pipeline.at(chosen);
    report({
      case: `figure13/${name}/step-${step}`,
      value: rate / Math.max(...others),
      unit: 'x best other',
      others: others.length,
      runs: 'virtual time',
    });
  }
}
