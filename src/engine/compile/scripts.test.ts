import { expect, it } from 'vitest';
import { GENERATED_LINES } from '../../model/line-ranges.ts';
import { announceQuery, claimLines, type QueryScript, watchQueries } from './scripts.ts';

const query = (name: string): QueryScript => ({
  name,
  file: `venturi:${name}`,
  firstLine: claimLines(10),
  text: '',
  dictionary: { operators: [], tasks: [], tasksOf: () => [] },
  rowCounts: () => [],
});

it('gives no line twice, and tells of queries that were there before and that come later', () => {
  const told: string[] = [];
  const queries = [query('first'), query('second')];
  for (const each of queries) announceQuery(each);
  watchQueries(({ name }) => told.push(name));
  announceQuery(query('third'));
  expect(told).toEqual(['first', 'second', 'third']);
  const [first, second] = queries.map(({ firstLine }) => firstLine);
  expect(first).toBeGreaterThanOrEqual(GENERATED_LINES);
  expect(second).toBe((first ?? 0) + 10);
});
