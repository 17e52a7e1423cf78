import { isLent } from '../../graph/lending.ts';
import type { Reason } from '../../model/plan.ts';
import { asLent, sideCost } from '../../prediction/cost/handing.ts';
import type { CostOperator } from '../../prediction/cost/model.ts';
import { wholeAbove } from '../cold.ts';
import type { Draft } from '../draft.ts';
import { MOST_LANES } from '../thresholds.ts';
import { isBetter } from '../worth.ts';
import type { Circumstances, Rule } from './rule.ts';
import { divisibleRuns, lanesAt, plentyOf, rateWith } from './runs.ts';

/**
 * How many threads share which work. Neighbours that can be divided are divided together: a lane then takes an element
 * through all of them, which costs no channel and needs no balance. Starts from what every run would need at the highest
 * rate possible, and takes back what brings nothing.
 */
export const parallelism: Rule = (draft, circumstances) => {
  const { target, keep, threads } = circumstances;
  const runs = divisibleRuns(draft.arrangement.operators, keep);
  if (threads === 'everywhere') return runs.flat().reduce(onAllCores, draft);
  const wanted = lanesWanted(draft, runs, target);
  const all = runs.reduce((sofar, run) => divided(sofar, run, wanted.get(run)), draft);
  const fewest = pared(all, runs, wanted, circumstances);
  const onlyWhatHelps = pared(draft, runs, wanted, circumstances);
  const best = isBetter(onlyWhatHelps, fewest, circumstances) ? onlyWhatHelps : fewest;
  return isBetter(best, draft, circumstances) ? best : draft;
};

type Run = readonly CostOperator[];

const onAllCores = (draft: Draft, { id }: CostOperator): Draft =>
  draft.threads(id, Math.min(MOST_LANES, wholeAbove(draft.base.cores)), 'on-all-cores');

/** Lanes of every run at the rate that would be possible if none were short of them. */
function lanesWanted(draft: Draft, runs: readonly Run[], target: number | undefined): ReadonlyMap<Run, number> {
  const { base, arrangement } = draft;
  const first = new Map(runs.map(run => [run[0]?.id ?? '', run]));
  const rich = arrangement.operators.map(operator => {
    const run = runs.find(each => each.includes(operator));
    if (run === undefined) return operator;
    const { parallelism: _, ...rest } = operator;
    return first.has(operator.id) ? { ...rest, parallelism: plentyOf(base) } : rest;
  });
  const rate = Math.min(rateWith(draft, rich), target ?? Number.POSITIVE_INFINITY);
  return new Map(
    runs.map(run => {
      const input = arrangement.operators.find(({ id }) => run[0]?.inputs.includes(id) === true);
      const last = run.at(-1);
      const cpu =
        (input === undefined
          ? 0
          : sideCost(
              base.handing.receive,
              isLent(run, run[0]?.inputs.length ?? 0) ? asLent(input) : input,
              'estimate',
            )) +
        (last === undefined ? 0 : sideCost(base.handing.send, last, 'estimate')) +
        run.reduce((sum, each) => sum + each.cpu.estimate, 0);
      const blocked = run.reduce((sum, each) => sum + each.blocked, 0);
      return [run, lanesAt(cpu, blocked, rate, base.cores)];
    }),
  );
}

/** No lanes: all of a run ride along with what is before them. `end`: from there on they have one thread of their own. */
function divided(draft: Draft, run: Run, lanes: number | undefined, end?: number): Draft {
  return run.reduce((sofar, { id, parallelism: now }, at) => {
    const to = at === end ? 1 : at === 0 ? lanes : undefined;
    return sofar.threads(id, to, reasonFor(now, to, at));
  }, draft);
}

function reasonFor(now: number | undefined, to: number | undefined, at: number): Reason {
  if (to === undefined) return at === 0 ? 'not-worth-a-thread' : 'rides';
  return now !== undefined && now > to ? 'too-many' : 'binds';
}

/**
 * For each run in turn: as it is, with the lanes it wants or none of its own, and either with a thread for its end, whichever is better;
 * until nothing changes. The end is for elements that are smaller in the midst of a run than where it begins, as behind a cache, or than where it
 * ends: they are handed on there.
 */
function pared(
  draft: Draft,
  runs: readonly Run[],
  wanted: ReadonlyMap<Run, number>,
  circumstances: Circumstances,
): Draft {
  let best = draft;
  for (let sweep = 0; sweep <= runs.length; sweep++) {
    const before = best;
    for (const run of runs) {
      const ends = [undefined, ...run.slice(1).map((_, at) => at + 1)];
      for (const end of ends) {
        for (const lanes of [undefined, wanted.get(run)]) {
          const candidate = divided(best, run, lanes, end);
          if (isBetter(candidate, best, circumstances)) best = candidate;
        }
      }
    }
    if (best === before) break;
  }
  return best;
}
