/**
 * Steps to 95 % of the optimum on 16 cores, in virtual time, over pipelines drawn by chance: the lanes that a forecast from the recording of the
 * pipeline as it is asks for, against a random walk. The optimum is the better of that and a lane for every core everywhere. On a machine of two cores a walk has hardly a step to make.
 */
import { medianInterval } from '../harness.mjs';
import { randomOf } from '../virtual/random.mjs';
import { randomWalk } from './search.mjs';
import { CORES, VirtualPipeline } from './virtual.mjs';

const PIPELINES = 8;
const WALKS = 3;
const ENOUGH = 0.95;
/** Rounds of recording and forecasting, should the first not be enough. */
const ROUNDS = 4;

export async function virtualSteps(report, { folder }) {
  const ratios = [];
  const [ours, theirs] = [[], []];
  for (let seed = 1; seed <= PIPELINES; seed++) {
    const pipeline = new VirtualPipeline(folder, drawn(seed));
    const { wanted } = await pipeline.at(pipeline.naive);
    const most = new Map(pipeline.operators.map(id => [id, CORES]));
    const enough = ENOUGH * Math.max(pipeline.rate(wanted), pipeline.rate(most));
    const steps = await stepsOfForecasts(pipeline, enough);
    for (let walk = 1; walk <= WALKS; walk++) {
      const walked = stepsOf(pipeline, randomWalk(pipeline.operators, CORES, 10 * seed + walk), enough);
      ours.push(steps);
      theirs.push(walked);
      ratios.push(steps / walked);
    }
  }
  report({
    case: 'steps/vs-random-walk',
    ...medianInterval(ratios),
    unit: 'x steps',
    worst: Math.max(...ratios),
    ours: ours.filter((_, at) => at % WALKS === 0).join(' '),
    walks: theirs.join(' '),
    cores: CORES,
    runs: 'virtual time',
    goal: '<= 0.5',
  });
}

/** CPU seconds of four to six operators, from 10 to 400 ms. */
function drawn(seed) {
  const random = randomOf(seed);
  const count = 4 + Math.floor(3 * random.uniform());
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`map${at}`, random.logBetween(0.01, 0.4)]));
}

async function stepsOfForecasts(pipeline, enough) {
  let lanes = pipeline.naive;
  for (let step = 1; step <= ROUNDS; step++) {
    lanes = (await pipeline.at(lanes)).wanted;
    if (pipeline.rate(lanes) >= enough) return step;
  }
  return ROUNDS + 1;
}

/** A walk that never arrives ends when every operator has a lane for every core. */
function stepsOf(pipeline, walk, enough) {
  let step = 0;
  for (const lanes of walk) {
    step++;
    if (pipeline.rate(lanes) >= enough) return step;
  }
  return step + 1;
}
