/**
 * Step by step on 16 cores, in virtual time (bench/virtual): the rate by whose lanes are raised, what is expected of each step, and what
 * other choices would have brought. Plumber's figures 6, 7 and 13.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { predict } from 'venturi';
import { METRICS } from 'venturi/model';
import { createRun, openLane } from 'venturi/store';
import { median } from '../harness.mjs';
import { runVirtually } from '../virtual/pipeline.mjs';
import { logNormal } from '../virtual/random.mjs';
import { recorded } from './recorded.mjs';
import { autotuneRate, local, localRate, ranked } from './rules.mjs';
import { randomWalk } from './search.mjs';

const CORES = 16;
const STEPS = 24;
/** Walks are followed further, to see where they arrive. */
const WALK_STEPS = 72;
const WALKS = 3;
const SECONDS = 20;

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

/** Operators in stages of their own, behind a source and before a batch. */
class VirtualPipeline {
  #looked = new Map();
  #folder;
  #seconds;

  constructor(folder, seconds) {
    this.#folder = folder;
    this.#seconds = seconds;
    this.operators = Object.keys(seconds);
    this.naive = new Map(this.operators.map(id => [id, 1]));
  }

  /** What a recording with these lanes says: `{ rate, bound, wanted, view }`. */
  async at(lanes) {
    const key = JSON.stringify([...lanes]);
    if (!this.#looked.has(key)) this.#looked.set(key, await this.#look(lanes));
    return this.#looked.get(key);
  }

  async #look(lanes) {
    const path = join(this.#folder, 'virtual.venturi');
    runVirtually(path, this.#description(lanes), { createRun, openLane, METRICS });
    const { measured, forecast } = await predict(path);
    const view = await recorded(path, { cores: CORES });
    rmSync(path, { recursive: true });
    const wanted = new Map(forecast.lanes.flatMap(({ main, wanted: count }) => [[main, count]]));
    return {
      rate: measured.estimate,
      bound: forecast.rate.estimate,
      wanted: new Map(this.operators.map(id => [id, wanted.get(id) ?? 1])),
      view: { ...view, lanes },
    };
  }

  #description(lanes) {
    const middle = this.operators.map((id, at) => ({
      id,
      lanes: lanes.get(id),
      slots: 2 * lanes.get(id) + 2,
      inputs: [at === 0 ? 'source' : this.operators[at - 1]],
      operators: [{ id, cpu: logNormal(this.#seconds[id], 0.2), bytes: 1e5 }],
    }));
    const last = this.operators.at(-1);
    return {
      seed: 1,
      cores: CORES,
      seconds: SECONDS,
      stages: [
        { id: 'source', lanes: 1, operators: [{ id: 'source', kind: 'range', sequential: true, cpu: 1e-4 }] },
        ...middle,
        {
          id: 'batch',
          lanes: 1,
          inputs: [last],
          operators: [{ id: 'batch', sequential: true, cpu: 5e-3, bytes: 1e6 }],
        },
      ],
      consumer: { step: 1e-4, asleep: true },
    };
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
  const walks = [];
  for (let seed = 1; seed <= WALKS; seed++) {
    walks.push(await ratesOf(pipeline, fromNaive(pipeline, randomWalk(pipeline.operators, CORES, seed)), WALK_STEPS));
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
    const chance = walks.map(walk => walk[step]);
    report({
      case: `figure6/${name}/step-${step}`,
      value: (step === 0 ? start.rate : planned) / optimum,
      unit: 'of optimum',
      oneByOne: plumber[step] / optimum,
      allToSlowest: allToOne[step] / optimum,
      randomWalk: median(chance) / optimum,
      randomWalkLeast: Math.min(...chance) / optimum,
      randomWalkMost: Math.max(...chance) / optimum,
      runs: 'virtual time',
    });
  }
  let step = 0;
  for await (const lanes of byRule(pipeline, ranked)) {
    const { rate, bound, view } = await pipeline.at(lanes);
    report({
      case: `figure7/${name}/step-${step}`,
      value: bound / optimum,
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
