/** Steps to 95 % of the optimum: configurations that are tried, until one of them reaches it, by the tuner and by chance. */
import { median } from '../harness.mjs';
import { divisible, NAIVE } from './changes.mjs';
import { over } from './ratios.mjs';
import { exhaustive, stepsOfWalk } from './search.mjs';

const ENOUGH = 0.95;
const WALKS = 5;
/** A walk that has not arrived by then is counted as if it did at the next step. */
const MOST_STEPS = 8;

/** Threads alone: a walk plants no caches, so neither may the tuner. Nothing is reported where nothing is to be gained. */
export async function stepsOf(report, measured, cores) {
  const { example, graph } = measured;
  const grid = example.grid(cores).filter(({ cache }) => cache === undefined);
  const { rate: optimum } = await exhaustive(measured, grid);
  const enough = ENOUGH * optimum;
  if ((await measured.rate(NAIVE)) >= enough) return;
  const { tried } = await measured.tune({ without: ['cache'], rounds: 3 });
  const ours = await firstReaching(measured, tried, enough);
  const most = Math.max(cores, ...grid.flatMap(({ lanes }) => Object.values(lanes).flat()));
  const walks = [];
  for (let seed = 1; seed <= WALKS; seed++) {
    const steps = await stepsOfWalk(measured, divisible(graph), { most, seed, enough, limit: MOST_STEPS });
    walks.push(steps ?? MOST_STEPS + 1);
  }
  report({
    case: `steps/${example.name}`,
    ...over(
      walks.map(() => ours),
      walks,
    ),
    unit: 'x steps',
    ours,
    walk: median(walks),
    walks: walks.join(' '),
    optimum,
  });
}

async function firstReaching(measured, tried, enough) {
  for (const [at, { actions }] of tried.entries()) if ((await measured.rate(actions)) >= enough) return at + 1;
  return MOST_STEPS + 1;
}
