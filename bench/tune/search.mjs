/** How others would look for a better configuration: by trying all of them, or by chance. */
import { median, mulberry32 } from '../harness.mjs';
import { inGrid, withLanes } from './changes.mjs';

/** Of all, those that are measured again: the best of one run each may have been lucky. */
const FINALISTS = 3;
const AGAIN = 1;

/** Tries everything in a grid (see examples.mjs); gives the best configuration and its rate. */
export async function exhaustive(measured, grid) {
  const tried = [];
  for (const actions of inGrid(grid)) {
    const rate = await measured.rate(actions);
    if (rate !== undefined) tried.push({ actions, rates: [rate] });
  }
  tried.sort((a, b) => b.rates[0] - a.rates[0]);
  const finalists = tried.slice(0, FINALISTS);
  for (let round = 0; round < AGAIN; round++) {
    for (const { actions, rates } of finalists) rates.push((await measured.once(actions)).rate);
  }
  return finalists
    .map(({ actions, rates }) => ({ actions, rate: median(rates) }))
    .reduce((a, b) => (b.rate > a.rate ? b : a));
}

/** A lane more for an operator that is picked by chance, again and again. Gives lanes by operator, step by step. */
export function* randomWalk(operators, most, seed) {
  const random = mulberry32(seed);
  const lanes = new Map(operators.map(id => [id, 1]));
  for (;;) {
    const open = operators.filter(id => lanes.get(id) < most);
    if (open.length === 0) return;
    const picked = open[Math.floor(random() * open.length)];
    lanes.set(picked, lanes.get(picked) + 1);
    yield new Map(lanes);
  }
}

/** Steps of a walk until the rate is `enough`; undefined where it ends before. */
export async function stepsOfWalk(measured, operators, { most, seed, enough, limit }) {
  let step = 0;
  for (const lanes of randomWalk(operators, most, seed)) {
    step++;
    if ((await measured.rate(withLanes(lanes))) >= enough) return step;
    if (step >= limit) return undefined;
  }
  return undefined;
}
