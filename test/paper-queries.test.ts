import { describe, expect, it } from 'vitest';
import { rowsOf } from '../bench/query/iterators.mjs';
import { paperQueries, salesTables } from '../bench/query/paper.mjs';
import { difference } from '../bench/query/same-rows.mjs';
import { relationalTables, tpch } from '../bench/query/tpch.mjs';
import * as relational from '../src/engine/relational/index.ts';
import { virtualProfile } from '../src/engine/relational/virtual-profile.fixture.ts';

const tables = {
  ...relationalTables(tpch(0.002, 7), relational),
  ...salesTables(3000, 200, relational),
};
const queries = paperQueries(tables, relational);

describe('the example queries of Tailored Profiling', () => {
  it.each(['fig3', 'fig9', 'fig10a', 'fig10b'] as const)('%s gives what pull iterators give', name => {
    const relation = queries[name]();
    const expected = rowsOf(relation.plan);
    expect(expected.length).toBeGreaterThan(0);
    for (const optimise of [false, true])
      expect(difference(new relational.Query(relation, { optimise }).run(), expected)).toBeUndefined();
  });

  it('of figures 3 and 9 are group-joins, whose parts are told apart', () => {
    for (const name of ['fig3', 'fig9'] as const) {
      const { dictionary, plan } = new relational.Query(queries[name]());
      expect(plan).toHaveProperty('groupJoin', 'right');
      expect(dictionary.tasks.map(({ operator, role }) => `${dictionary.operators[operator]?.kind} ${role}`)).toEqual(
        expect.arrayContaining(['join build', 'join probe', 'groupBy aggregate']),
      );
    }
  });
});

describe('two plans of figure 10, by executed statements', () => {
  const STRETCHES = 8;
  const share = (profile: readonly ReadonlyMap<string, number>[], label: string): number[] =>
    profile.map(shares => shares.get(label) ?? 0);
  const [chosen, alternative] = [queries.fig10a(), queries.fig10b()].map(plan =>
    virtualProfile(plan, 'group by', STRETCHES),
  );

  it('have the same result, and let about as many rows through their first join', () => {
    const plans = [queries.fig10a().plan, queries.fig10b().plan];
    const [a = [], b = []] = plans.map(plan => rowsOf(plan));
    expect(difference(a, b)).toBeUndefined();
    const passed = plans.map(plan =>
      plan.kind === 'groupBy' && plan.input.kind === 'join' ? rowsOf(plan.input.left).length / 12_012 : 0,
    );
    for (const part of passed) expect(part).toBeCloseTo(0.5, 1);
  });

  it('the alternative switches: first both joins, then the join on orders alone', () => {
    const [orders, partsupp] = [share(alternative ?? [], 'orders'), share(alternative ?? [], 'partsupp')];
    expect(Math.min(...partsupp.slice(0, 4))).toBeGreaterThan(0.2);
    expect(partsupp.at(-1)).toBe(0);
    expect(orders.at(-1)).toBeGreaterThan(0.7);
  });

  it('the chosen plan probes partsupp to the end', () => {
    const partsupp = share(chosen ?? [], 'partsupp');
    expect(Math.min(...partsupp)).toBeGreaterThan(0.3);
    expect(share(chosen ?? [], 'orders').every(part => part > 0.05)).toBe(true);
  });
});
