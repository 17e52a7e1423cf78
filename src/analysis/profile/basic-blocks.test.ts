import { expect, test } from 'vitest';
import { basicBlocks } from './basic-blocks.ts';
import type { ProfiledLine } from './profiled-lines.ts';

const line = (text: string, hits: number, operator?: string): ProfiledLine => ({
  text,
  operator,
  task: 'element',
  hits,
});

test('splits generated code where it branches, and sums up each part', () => {
  const lines = [
    line('function pipeline0(state) {', 1),
    line('  const a = inputs[0];', 1),
    line('  rows: for (let i = 0; i < n; i++) {', 3, 'scan'),
    line('    const x = a[i];', 4, 'scan'),
    line('    if (x < 5) continue;', 6, 'filter'),
    line('    const y = x * 2;', 10, 'project'),
    line('    if (y > 7) {', 5, 'filter'),
    line('      sum += y;', 20, 'group'),
    line('    } else {', 0, 'filter'),
    line('      n--;', 0, 'group'),
    line('    }', 0, 'filter'),
    line('  }', 0),
    line('}', 0),
  ];
  const blocks = basicBlocks([{ stage: 'q', file: 'venturi:q', hits: 50, lines }], 100);
  expect(blocks.map(({ first, last, loops, hits, within }) => [first, last, loops, hits, within.slice(0, 9)])).toEqual([
    [8, 8, 1, 20, 'if (y > 7'],
    [6, 7, 1, 15, 'rows: for'],
    [4, 5, 1, 10, 'rows: for'],
    [3, 3, 1, 3, 'rows: for'],
    [1, 1, 0, 1, ''],
    [2, 2, 0, 1, 'function '],
  ]);
  expect(blocks[1]?.owners).toEqual([
    { operator: 'project', task: 'element', hits: 10 },
    { operator: 'filter', task: 'element', hits: 5 },
  ]);
  expect(blocks.reduce((sum, { hits }) => sum + hits, 0)).toBe(50);
});

test('a line of several owners is divided evenly between them', () => {
  const joint = { ...line('const h = hash(k);', 8, 'a'), others: [{ operator: 'b', task: 'probe' }] };
  const [block] = basicBlocks([{ stage: 'q', file: 'f', hits: 8, lines: [joint] }], 8);
  expect(block?.owners.map(({ hits }) => hits)).toEqual([4, 4]);
  expect(block?.share).toBe(1);
});
