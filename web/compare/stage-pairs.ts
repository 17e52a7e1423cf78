import type { StageRates } from '../../src/analysis/rates/rates.ts';
import { STATES, type State } from '../../src/model/state.ts';

/** Stages of several runs with the same operators. */
export interface StagesOfRuns {
  readonly operators: readonly string[];
  /** By run; undefined where it has no such stage. */
  readonly each: readonly (StageRates | undefined)[];
  /** State whose share differs most between the first run and the last that have it; undefined where none does visibly. */
  readonly change: { readonly state: State; readonly from: number; readonly to: number } | undefined;
}

/** By their operators, in the order of the first run that has them: a plan may put operators into other stages. */
export function stagesBeside(runs: readonly (readonly StageRates[])[]): StagesOfRuns[] {
  const byKey = runs.map(stages => new Map(stages.map(stage => [JSON.stringify(stage.operators), stage])));
  const keys = [...new Set(byKey.flatMap(stages => [...stages.keys()]))];
  return keys.map(key => {
    const each = byKey.map(stages => stages.get(key));
    const known = each.filter(stage => stage !== undefined);
    const [first] = known;
    const last = known.at(-1);
    return { operators: first?.operators ?? [], each, change: first === last ? undefined : changeOf(first, last) };
  });
}

/** Smallest difference between two shares that is told. */
const VISIBLE = 0.005;

function changeOf(first: StageRates | undefined, last: StageRates | undefined): StagesOfRuns['change'] {
  if (first === undefined || last === undefined) return undefined;
  const by = (state: State): number => Math.abs(last.states[state] - first.states[state]);
  const [state] = [...STATES].sort((a, b) => by(b) - by(a));
  return state === undefined || by(state) < VISIBLE
    ? undefined
    : { state, from: first.states[state], to: last.states[state] };
}
