import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { setProfiled } from '../compile/scripts.ts';
import { col, scalar } from './expression.ts';
import { randomPlans } from './optimiser/random-plans.fixture.ts';
import { Query } from './query.ts';
import { avg, count, type Relation, scan } from './relation.ts';
import { table } from './table.ts';

const own = table('own', { id: Int32Array.of(1, 2, 3, 4, 5, 6), size: Float64Array.of(1, 2, 3, 4, 5, 6) });
const other = table('other', { o_id: Int32Array.of(1, 1, 3, 9) });

/** Rows that entered each operator in one run, by label. */
function rowsOf(relation: Relation, options: { readonly optimise: boolean }): Record<string, number> {
  const query = new Query(relation, { ...options, countsRows: true });
  query.run();
  const rows = query.rowCounts();
  return Object.fromEntries(query.dictionary.operators.map(({ label }, at) => [label, rows[at] ?? -1]));
}

describe('rows that enter an operator', () => {
  it.each([true, false])('are counted at filters, joins and groups (optimised: %s)', optimise => {
    const relation = scan(own)
      .filter(col('id').lt(5))
      .join(scan(other), [['id', 'o_id']], { name: 'pairs' })
      .groupBy(['o_id'], { rows: count() })
      .orderBy(['o_id']);
    expect(rowsOf(relation, { optimise })).toEqual({
      'scan own': 6,
      filter: 6,
      'scan other': 4,
      pairs: 8,
      'group by': 3,
      'order by': 2,
      result: 2,
    });
  });

  it('are those of what a join lets pass, whatever its kind', () => {
    const passed = (how: 'inner' | 'left' | 'semi' | 'anti') =>
      rowsOf(scan(own).join(scan(other), [['id', 'o_id']], { how }), { optimise: false }).result;
    expect([passed('inner'), passed('left'), passed('semi'), passed('anti')]).toEqual([3, 7, 2, 4]);
  });

  it('are those that were read before a limit cut the loop', () => {
    const rows = rowsOf(scan(own).filter(col('id').gt(1)).limit(2), { optimise: false });
    // The fourth row finds that two were taken.
    expect(rows).toEqual({ 'scan own': 4, filter: 4, limit: 3, result: 2 });
  });

  it('add up over runs, and know subqueries', () => {
    const mean = scan(own, { name: 'again' }).groupBy([], { mean: avg(col('size')) });
    const query = new Query(scan(own).filter(col('size').gt(scalar(mean))), { optimise: false, countsRows: true });
    for (let run = 0; run < 3; run++) expect(query.run()).toHaveLength(3);
    const rows = query.rowCounts();
    const labelled = query.dictionary.operators.map(({ label }, at) => [label, rows[at]]);
    expect(Object.fromEntries(labelled)).toMatchObject({ again: 18, 'group by': 18, filter: 18, result: 9, scalar: 3 });
  });

  it('are counted just where somebody wants to know them', () => {
    const made = (): Query => new Query(scan(own).filter(col('id').lt(5)));
    const before = made();
    setProfiled(true);
    const [profiled, unwanted] = [made(), new Query(scan(own), { countsRows: false })];
    setProfiled(false);
    for (const query of [before, profiled, unwanted, made()]) {
      query.run();
      expect(query.rowCounts()).toEqual(query === profiled ? [4, 6, 6] : []);
      expect(query.text.includes('counts[')).toBe(query === profiled);
    }
  });

  it('are as many as the result has, for any plan', () => {
    fc.assert(
      fc.property(randomPlans, fc.boolean(), (relation, optimise) => {
        const query = new Query(relation, { optimise, countsRows: true });
        let rows: number;
        try {
          rows = query.run().length;
        } catch {
          return;
        }
        const last = query.dictionary.operators.findLastIndex(
          ({ kind, label }) => kind === 'result' && label === 'result',
        );
        expect(query.rowCounts()[last]).toBe(rows);
      }),
      { numRuns: 100, seed: 5 },
    );
  });
});
