import { mulberry32 } from '../harness.mjs';
import { chainOf, pipelineFile, profiled } from './runs.mjs';

/** Turns of the loop in each operator, by plan; a turn takes about a nanosecond. */
const FEWEST_OPERATORS = 2;
const MOST_OPERATORS = 5;
/** ns an element of all operators together: plans at or above the first are judged by their error, those below by their bands. */
const CLEAR_NS = 200;
const LONGEST_NS = 2000;
/** Work of one run, so that every plan gets as many samples. */
const RUN_NS = 3e9;

function drawnPlan(random, isClear) {
  const operators = FEWEST_OPERATORS + Math.floor(random() * (MOST_OPERATORS - FEWEST_OPERATORS + 1));
  const weights = Array.from({ length: operators }, () => 1 + Math.floor(random() * 8));
  const total = isClear ? CLEAR_NS + random() * (LONGEST_NS - CLEAR_NS) : 20 + random() * (CLEAR_NS - 20);
  const sum = weights.reduce((all, weight) => all + weight, 0);
  return weights.map(weight => Math.max(1, Math.round((total * weight) / sum)));
}

/** Errors of shares among the operators, and how many of their bands hold the truth. */
async function judged(folder, turns) {
  const work = turns.reduce((sum, count) => sum + count, 0);
  const pipeline = pipelineFile(folder, 'plan.ts', chainOf(turns, Math.ceil(RUN_NS / work)));
  const { operators, samples } = await profiled(folder, pipeline);
  const own = turns.map((_, at) => operators.find(({ id }) => id === `op${at}`));
  const all = own.reduce((sum, { share }) => sum + share, 0);
  const truths = turns.map(count => count / work);
  return {
    samples,
    errors: own.map(({ share }, at) => Math.abs(share / all - truths[at])),
    held: own.filter(({ band }, at) => band.low / all <= truths[at] && truths[at] <= band.high / all).length,
  };
}

/** Plans from a seed, half of them with much work an element and half with little. */
export async function knownWork(report, folder, { plans, seed }) {
  const random = mulberry32(seed);
  const clear = [];
  const unclear = [];
  for (let at = 0; at < plans; at++) {
    clear.push(await judged(folder, drawnPlan(random, true)));
    unclear.push(await judged(folder, drawnPlan(random, false)));
  }
  const errorsOf = results => results.flatMap(({ errors }) => errors);
  const mean = values => values.reduce((sum, value) => sum + value, 0) / values.length;
  const heldOf = results => results.reduce((sum, { held }) => sum + held, 0) / errorsOf(results).length;
  const errors = errorsOf(clear).sort((a, b) => a - b);
  report({
    case: 'accuracy/known-work',
    value: mean(errors),
    unit: 'of share',
    worst: errors.at(-1),
    'bands held': heldOf(clear),
    plans,
    'least samples': Math.min(...clear.map(({ samples }) => samples)),
    goal: '<= 0.03',
  });
  report({
    case: 'accuracy/little-work-in-band',
    value: heldOf(unclear),
    unit: 'of operators',
    'mean error': mean(errorsOf(unclear)),
    plans,
    goal: '>= 0.9',
  });
}

/** One function serves two operators; the second gets one element in `keep`. */
const sharedPlan = keep => `
import { pipeline, range } from 'venturi/engine';
const both = x => { let y = x | 0; for (let k = 0; k < 400; k++) y = (Math.imul(y, 31) + k) | 0; return y; };
export default pipeline(import.meta, { n: 6_000_000 }, ({ n }) => range(n)
  .map(both, { name: 'first' })
  .filter((_, { index }) => index % ${keep} === 0, { name: 'some' })
  .map(both, { name: 'second' })
  .batch(1024));
`;

export async function sharedCode(report, folder) {
  const errors = [];
  for (const keep of [1, 2, 4, 8]) {
    const { operators } = await profiled(folder, pipelineFile(folder, 'shared.ts', sharedPlan(keep)));
    const [first, second] = ['first', 'second'].map(name => operators.find(({ id }) => id === name).share);
    errors.push(Math.abs(first / (first + second) - keep / (keep + 1)));
  }
  const mean = errors.reduce((sum, error) => sum + error, 0) / errors.length;
  report({ case: 'shared-code/error', value: mean, unit: 'of share', worst: Math.max(...errors), goal: '<= 0.03' });
}
