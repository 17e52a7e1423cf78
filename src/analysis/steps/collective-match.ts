import type { StepTrace } from '../../model/step-trace.ts';
import { OpKinds } from './work.ts';

/** One collective as several ranks took part in it: their ops by position in `ranks`. */
export interface MatchedCollective {
  readonly name: string;
  readonly ops: ReadonlyMap<number, number>;
}

/** Collectives that no rank leaves before all have come. */
const SYNCHRONISING = /all_?reduce|all_?gather|reduce_?scatter|all_?to_?all|barrier/i;

/**
 * Collectives that ranks have in common: the same in name, group and bytes, in the same step and for the same time in it. Those of one rank alone
 * are left out.
 */
export function matchCollectives(trace: StepTrace): readonly MatchedCollective[] {
  const kinds = new OpKinds(trace);
  const { ops, steps, collectives } = trace;
  const found = new Map<string, Map<number, number>>();
  const names = new Map<string, string>();
  const seen = new Map<string, number>();
  for (let op = 0; op < ops.count; op++) {
    const collective = collectives[ops.collective[op] ?? -1];
    const step = steps[ops.step[op] ?? -1];
    if (collective === undefined || step === undefined || kinds.work(op) !== 'communication') continue;
    if (!SYNCHRONISING.test(collective.name)) continue;
    const rank = kinds.rank(op);
    const what = `${step.number} ${collective.name} ${collective.group ?? ''} ${collective.bytes ?? ''}`;
    const turn = (seen.get(`${rank} ${what}`) ?? 0) + 1;
    seen.set(`${rank} ${what}`, turn);
    const key = `${what} ${turn}`;
    const byRank = found.get(key) ?? new Map<number, number>();
    byRank.set(rank, op);
    found.set(key, byRank);
    names.set(key, collective.name);
  }
  return [...found]
    .filter(([, byRank]) => byRank.size > 1)
    .map(([key, byRank]) => ({ name: names.get(key) ?? '', ops: byRank }));
}
