import { expect, test } from 'vitest';
import { entryOf, groupedBy } from './groups.ts';
import { greatest, highest, least, sumOf } from './totals.ts';

test('sums are added up in the order given, and nothing sums up to 0', () => {
  expect(sumOf([1e16, 1, -1e16], value => value)).toBe(0);
  expect(sumOf([1e16, -1e16, 1], value => value)).toBe(1);
  expect(sumOf(new Set<number>(), value => value)).toBe(0);
});

test('of equals the first is the highest, and of none there is no highest', () => {
  const items = [{ at: 1 }, { at: 3 }, { at: 3 }];
  expect(highest(items, ({ at }) => at)).toBe(items[1]);
  expect(highest([], () => 1)).toBeUndefined();
});

test('groups keep the order of keys and items, and an entry is made once', () => {
  expect([...groupedBy([5, 2, 7, 4], value => value % 2)]).toEqual([
    [1, [5, 7]],
    [0, [2, 4]],
  ]);
  const map = new Map<string, number[]>();
  entryOf(map, 'a', () => []).push(1);
  entryOf(map, 'a', () => []).push(2);
  expect(map.get('a')).toEqual([1, 2]);
});

test('finds the greatest and the least of more values than fit on the stack', () => {
  const values = Float64Array.from({ length: 1_000_000 }, (_, at) => (at * 7919) % 1_000_003);
  expect([greatest(values), least(values)]).toEqual([values.toSorted().at(-1), 0]);
  expect([greatest([]), least([])]).toEqual([Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]);
});
