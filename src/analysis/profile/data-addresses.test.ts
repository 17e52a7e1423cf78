import { expect, test } from 'vitest';
import type { LaneDictionary } from '../../model/profile.ts';
import { dataAddresses } from './data-addresses.ts';
import type { Owner } from './owner.ts';
import type { PerfSample } from './perf-sample.ts';

const lane = (tid: number): LaneDictionary => ({
  ...{ lane: `s#${tid}`, tid, stage: 's' },
  ...{ operators: [], tasks: [], loops: [], functions: [] },
});
const LANES = [lane(1), lane(2)] as const;

const samples = (operator: string, event: number, on: LaneDictionary, ...addresses: number[]): PerfSample[] =>
  addresses.map((address, time) => ({
    ...{ lane: on, time, event, weight: 1, address, native: undefined },
    owner: { kind: 'operator', operator, task: 'element', by: 'line' },
  }));

const nameOf = (owner: Owner): string => (owner.kind === 'operator' ? owner.operator : owner.kind);

test('pages, span and order of what each operator touched, by event', () => {
  const found = dataAddresses(
    [
      ...samples('up', 0, LANES[0], 0x1000, 0x1800, 0x2000, 0x5000),
      ...samples('to and fro', 0, LANES[0], 0x9000, 0x1000, 0x9000),
      ...samples('up', 1, LANES[0], 0x8000),
    ],
    nameOf,
  );
  expect(found).toEqual([
    { event: 0, name: 'up', samples: 4, pages: 3, span: 0x4000, ascending: 1 },
    { event: 0, name: 'to and fro', samples: 3, pages: 2, span: 0x8000, ascending: 0.5 },
    { event: 1, name: 'up', samples: 1, pages: 1, span: 0, ascending: undefined },
  ]);
});

test('the order is that within a thread, not from one to the next', () => {
  const both = [...samples('a', 0, LANES[0], 0x8000, 0x9000), ...samples('a', 0, LANES[1], 0x1000, 0x2000)];
  expect(dataAddresses(both, nameOf)).toMatchObject([{ samples: 4, ascending: 1, span: 0x8000 }]);
});

test('samples that tell no address are left out', () => {
  expect(dataAddresses(samples('a', 0, LANES[0], 0, 0), nameOf)).toEqual([]);
});
