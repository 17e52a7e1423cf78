import { expect, test } from 'vitest';
import type { PerfSummary } from '../../analysis/profile/perf-summary.ts';
import type { ProfiledOperator } from '../../analysis/profile/summary.ts';
import type { Profile } from '../results/profile.ts';
import { renderText } from '../text.ts';
import { perfBlocks } from './perf.ts';

const operator = (id: string, share: number): ProfiledOperator => ({
  ...{
    id,
    label: id.replace(/^.*\//, ''),
    share,
    hits: 100 * share,
    band: { low: share, high: share },
    rows: 1,
    nsPerRow: 1,
  },
  ...{ tasks: [], by: { line: 0, function: 0, stack: 0, divided: 0 } },
});

const PERF: PerfSummary = {
  ...{ profiler: 'perf', events: ['cpu-clock', 'page-faults'], frequency: 999 },
  ...{ samples: [1200, 8], loading: [40, 0], otherThreads: [300, 1] },
  rows: [
    { name: 'range/mix', isOperator: true, shares: [0.625, undefined], nativeShare: 0.125 },
    { name: 'engine: loop', isOperator: false, shares: [0.25, 1], nativeShare: 0 },
    { name: 'garbage collection', isOperator: false, shares: [0.125, 0], nativeShare: 0.125 },
  ],
  native: [{ symbol: 'memmove', module: 'libc.so.6', share: 0.125, callers: [{ name: 'range/mix', share: 0.125 }] }],
  inBuiltins: 0.25,
  hottest: [
    {
      ...{ stage: 's', file: 'venturi:s.0', number: 7, text: '  sum += y;', operator: 'range/mix', task: 'element' },
      ...{ hits: 750, share: 0.625 },
    },
  ],
  position: { checked: 900, agreeing: 900 },
  data: [{ event: 1, name: 'range/mix', samples: 8, pages: 4, span: 16_000, ascending: 0.875 }],
};

const profile = (perf?: PerfSummary): Profile => ({
  ...{ schemaVersion: 1, name: 'p', folder: 'p.venturi', fromSeconds: undefined, toSeconds: undefined, problems: [] },
  ...{
    profiler: 'V8',
    rateAsked: 1000,
    rateHeld: 1000,
    lanes: 1,
    samples: 100,
    idle: 0,
    attributed: 1,
    inOperators: 1,
  },
  operators: [operator('range/mix', 0.7)],
  rest: [
    { kind: 'engine', task: 'loop', hits: 20, share: 0.2 },
    { kind: 'collection', task: undefined, hits: 10, share: 0.1 },
  ],
  ...{ shared: [], joint: [], hottest: [], blocks: [], loops: [], activity: { fromNs: 0, binNs: 1, rows: [] } },
  ...(perf === undefined ? {} : { perf }),
});

const text = (perf: PerfSummary, isDeep = true): string =>
  renderText(perfBlocks(profile(perf), isDeep), { width: 160 });

test('has the shares by V8 and by each event side by side, and what is native', () => {
  const shown = text(PERF);
  expect(shown).toContain('1.20 k of cpu-clock, 8 of page-faults; before lanes had loaded: 40; in other threads: 301.');
  for (const row of [
    /mix +70 % +63 % +– +13 %/,
    /engine: loop +20 % +25 % +100 % +0 %/,
    /garbage collection +10 % +13 % +0 % +13 %/,
    /13 % +memmove \(libc\.so\.6\) +mix 13 %/,
    /mix +page-faults +8 +4 +16\.0 kB +88 %/,
    /63 % +range\/mix: element +s:7 sum \+= y;/,
  ])
    expect(shown).toMatch(row);
});

test('lines of code come with the level of lines alone', () => {
  expect(text(PERF, false)).not.toContain('Hottest');
});

test('says how many samples have a line of the loop at their address', () => {
  expect(text(PERF)).toContain('Of 900 samples in generated code, all have a line of the loop');
  expect(text({ ...PERF, position: { checked: 900, agreeing: 890 } })).toContain(
    'Of 900 samples in generated code, 890',
  );
});

test('says how much lies in functions that may have lost their caller', () => {
  expect(text(PERF)).toContain("25 % of cpu-clock lie in V8's own functions");
  expect(text({ ...PERF, inBuiltins: 0 })).not.toContain('own functions');
});

test('is not there without perf', () => {
  expect(perfBlocks(profile(), true)).toEqual([]);
});
