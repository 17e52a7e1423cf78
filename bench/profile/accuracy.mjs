import { mulberry32, spread } from '../harness.mjs';
import { atOnce, bodyOf, chainOf, pipelineFile, profiled } from './runs.mjs';

/** Turns of the loop in each operator, by plan; a turn takes about a nanosecond. */
const FEWEST_OPERATORS = 2;
const MOST_OPERATORS = 5;
/** ns an element of all operators together: plans at or above the first are judged by their error, those below by their bands. */
const CLEAR_NS = 200;
const LONGEST_NS = 2000;
const SHORTEST_NS = 20;
/** Work of one run, so that every plan gets as many samples. */
const RUN_NS = 3e9;

function drawnPlan(random, isClear) {
  const operators = FEWEST_OPERATORS + Math.floor(random() * (MOST_OPERATORS - FEWEST_OPERATORS + 1));
  const weights = Array.from({ length: operators }, () => 1 + Math.floor(random() * 8));
  const [least, most] = isClear ? [CLEAR_NS, LONGEST_NS] : [SHORTEST_NS, CLEAR_NS];
  const total = least + random() * (most - least);
  const sum = weights.reduce((all, weight) => all + weight, 0);
  return weights.map(weight => Math.max(1, Math.round((total * weight) / sum)));
}

const ELEMENTS = 20_000;
const ROUNDS = 30;

/**
 * ns that so many turns take alone, each element waiting for the one before it as each operator waits for the one before it: the fastest round. A plan's truth is its
 * turns; that a turn takes the same in a short loop and in a long one is measured by this.
 */
function alone(turns) {
  const loop = new Function(
    'from',
    `const f = x => ${bodyOf(turns)}; let y = 0; for (let at = 0; at < ${ELEMENTS}; at++) y = f(y ^ (from + at)) | 0; return y;`,
  );
  let least = Number.POSITIVE_INFINITY;
  for (let round = -ROUNDS; round < ROUNDS; round++) {
    const began = performance.now();
    loop(round * ELEMENTS);
    if (round >= 0) least = Math.min(least, ((performance.now() - began) * 1e6) / ELEMENTS);
  }
  return least;
}

/** Errors of shares among the operators, and how many of their bands hold the truth. */
async function judged(folder, turns, at) {
  const work = turns.reduce((sum, count) => sum + count, 0);
  const pipeline = pipelineFile(folder, `plan-${at}.ts`, chainOf(turns, Math.ceil(RUN_NS / work)));
  const { profile } = await profiled(folder, pipeline);
  const own = turns.map((_, place) => profile.operators.find(({ id }) => id === `op${place}`));
  const all = own.reduce((sum, { share }) => sum + share, 0);
  const truths = turns.map(count => count / work);
  return {
    samples: profile.samples,
    errors: own.map(({ share }, place) => Math.abs(share / all - truths[place])),
    held: own.filter(({ band }, place) => band.low / all <= truths[place] && truths[place] <= band.high / all).length,
    width: own.map(({ band }) => (band.high - band.low) / all),
  };
}

const mean = values => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Plans from a seed, half of them with much work an element and half with little. The truth is their turns. */
export async function knownWork(report, folder, { plans, seed }) {
  const random = mulberry32(seed);
  const drawn = Array.from({ length: 2 * plans }, (_, at) => drawnPlan(random, at % 2 === 0));
  const results = await atOnce(drawn, (turns, at) => judged(folder, turns, at));
  const perTurn = [5, 10, 20, 50, 100, 200].map(turns => alone(turns) / turns);
  report({ case: 'accuracy/ns-a-turn-alone', ...spread(perTurn), unit: 'ns' });
  const [clear, unclear] = [0, 1].map(part => results.filter((_, at) => at % 2 === part));
  const all = (some, key) => some.flatMap(result => result[key]);
  const heldOf = some => some.reduce((sum, { held }) => sum + held, 0) / all(some, 'errors').length;
  const figures = some => ({
    worst: Math.max(...all(some, 'errors')),
    'mean width of bands': mean(all(some, 'width')),
    'least samples': Math.min(...some.map(({ samples }) => samples)),
    plans,
    seed,
  });
  report({
    case: 'accuracy/known-work',
    value: mean(all(clear, 'errors')),
    unit: 'of share',
    'bands held': heldOf(clear),
    ...figures(clear),
    goal: '<= 0.03',
  });
  report({
    case: 'accuracy/little-work-in-band',
    value: heldOf(unclear),
    unit: 'of operators',
    'mean error': mean(all(unclear, 'errors')),
    ...figures(unclear),
    goal: '>= 0.9',
  });
}
