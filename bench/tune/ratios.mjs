/** A tuned pipeline against others: all measured again in turns, so that no winner owes its place to luck. */
import { median, middleMeanInterval } from '../harness.mjs';
import { describe, heuristic, NAIVE, withLanes } from './changes.mjs';
import { recorded } from './recorded.mjs';
import { autotuned } from './rules.mjs';
import { exhaustive } from './search.mjs';

/** Configurations by name: ours first. */
export async function contenders(measured, cores) {
  const { example, graph } = measured;
  const naive = await recorded(await measured.record(NAIVE, 'naive'), { root: example.root, cores });
  const best = await exhaustive(measured, example.grid(cores));
  const tuned = await measured.tune();
  return {
    tuned,
    configurations: {
      tuned: tuned.actions,
      exhaustive: best.actions,
      heuristic: heuristic(graph, cores),
      autotune: withLanes(autotuned(naive)),
      naive: NAIVE,
    },
  };
}

/** Of a run that decides; one that only searches is shorter. */
const LONGER = 1.5;

/** Rounds after which what no goal rests on, or is this far from ours, is known well enough. */
const FEW = 6;
const FAR = 1.5;
const WITHOUT_GOAL = ['autotune', 'naive'];

/** Measures configurations in turns; gives the rates of each, by name, round by round. Equal ones are measured once. Ours comes first. */
export async function inTurns(measured, configurations, rounds) {
  const names = Object.keys(configurations);
  const [ours] = names;
  const rates = Object.fromEntries(names.map(name => [name, []]));
  const isOpen = name => !WITHOUT_GOAL.includes(name) && isNear(over(rates[ours], rates[name]).value);
  let wanted = names;
  for (let round = 0; round < rounds; round++) {
    const made = new Map();
    if (round === FEW) wanted = [ours, ...names.filter(name => name !== ours && isOpen(name))];
    const order = round % 2 === 0 ? wanted : wanted.toReversed();
    for (const name of order) {
      const key = stagesOf(configurations[name]);
      const run = () => measured.once(configurations[name], { seconds: LONGER * measured.seconds });
      if (!made.has(key)) made.set(key, (await run()).rate);
      rates[name].push(made.get(key));
    }
  }
  return rates;
}

const stagesOf = actions =>
  JSON.stringify(actions.map(({ kind, operator, to, elements }) => [kind, operator, to, elements]).sort());

const isNear = ratio => ratio < FAR && ratio > 1 / FAR;

/** Rates of one over those of another, round by round. */
export const over = (ours, others) => middleMeanInterval(others.map((rate, round) => ours[round] / rate));

/** Reports one pipeline and gives its ratios by the names of the others. */
export async function ratiosOf(report, measured, { cores, rounds, title = `ratios/${measured.example.name}` }) {
  const { tuned, configurations } = await contenders(measured, cores);
  const rates = await inTurns(measured, configurations, rounds);
  const ratios = {};
  for (const other of Object.keys(configurations).filter(name => name !== 'tuned')) {
    ratios[other] = over(rates.tuned, rates[other]);
    report({
      case: `${title}/vs-${other}`,
      ...ratios[other],
      unit: 'x rate',
      tunedRate: median(rates.tuned),
      otherRate: median(rates[other]),
      tuned: describe(configurations.tuned),
      other: describe(configurations[other]),
      ...(tuned.problems.length > 0 && { problems: tuned.problems.map(({ message }) => message).join('; ') }),
    });
  }
  return ratios;
}
