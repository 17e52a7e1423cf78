import { expect, it } from 'vitest';
import { collapsedStacks } from './collapsed.ts';
import { cpuProfileFile } from './cpu-profile.ts';
import { pprofBytes } from './pprof.ts';
import { speedscopeFile } from './speedscope.ts';
import type { ProfileStacks } from './stacks.ts';

const stacks: ProfileStacks = {
  name: 'p',
  nsPerSample: 300,
  lanes: [
    {
      lane: 'a#0',
      samples: [
        { time: 1000, stack: ['p', 'map', 'call'] },
        { time: 3000, stack: ['p', 'map', 'call'] },
        { time: 4000, stack: ['p', 'map; x'] },
      ],
    },
    { lane: 'a#1', samples: [{ time: 2000, stack: ['(idle)'] }] },
  ],
};

it('collapses stacks, and keeps their separator out of names', () => {
  expect(collapsedStacks(stacks)).toBe('p;map;call 2\np;map, x 1\n(idle) 1\n');
});

it('keeps escape sequences out of a file of lines', () => {
  const hostile = {
    ...stacks,
    lanes: [{ lane: 'a', samples: [{ time: 0, stack: ['p', '\u001b[31mred\u001b[0m\u0007'] }] }],
  };
  expect(collapsedStacks(hostile)).toBe('p;red 1\n');
});

it('gives speedscope a profile per lane whose weights fill its time', () => {
  expect(speedscopeFile(stacks, 'venturi')).toMatchObject({
    shared: { frames: [{ name: 'p' }, { name: 'map' }, { name: 'call' }, { name: 'map; x' }, { name: '(idle)' }] },
    profiles: [
      {
        name: 'a#0',
        startValue: 1000,
        endValue: 4300,
        samples: [
          [0, 1, 2],
          [0, 1, 2],
          [0, 3],
        ],
        weights: [2000, 1000, 300],
      },
      { name: 'a#1', samples: [[4]], weights: [300] },
    ],
  });
});

it('makes a call tree in which every sample is a node', () => {
  const [lane] = stacks.lanes;
  const file = cpuProfileFile(lane ?? { lane: '', samples: [] });
  expect(file).toMatchObject({
    startTime: 1,
    endTime: 4,
    timeDeltas: [0, 2, 1],
    nodes: [
      { id: 1, callFrame: { functionName: '(root)' } },
      { callFrame: { functionName: 'call' }, hitCount: 2 },
      { callFrame: { functionName: 'map' }, hitCount: 0 },
      { callFrame: { functionName: 'p' } },
      { callFrame: { functionName: 'map; x' }, hitCount: 1 },
    ],
  });
  const { nodes, samples } = file as { nodes: { id: number; children: number[] }[]; samples: number[] };
  // A tree: each node but the root has one parent.
  expect(nodes.flatMap(({ children }) => children).sort()).toEqual([2, 3, 4, 5]);
  expect(samples).toEqual([2, 2, 5]);
});

/** Fields of a message of protobuf: numbers, and bytes. */
function fieldsOf(bytes: Uint8Array): [number, number | Uint8Array][] {
  const fields: [number, number | Uint8Array][] = [];
  let at = 0;
  const varint = (): number => {
    let [value, scale] = [0, 1];
    for (;;) {
      const byte = bytes[at++] ?? 0;
      value += (byte & 127) * scale;
      if (byte < 128) return value;
      scale *= 128;
    }
  };
  while (at < bytes.length) {
    const key = varint();
    const value = varint();
    if (key % 8 === 0) fields.push([key >> 3, value]);
    else {
      fields.push([key >> 3, bytes.subarray(at, at + value)]);
      at += value;
    }
  }
  return fields;
}

it('writes a profile.proto whose samples lead to the names of their frames, innermost first', () => {
  const fields = fieldsOf(pprofBytes(stacks, text => new TextEncoder().encode(text)));
  const of = (number: number): Uint8Array[] =>
    fields.flatMap(([field, value]) => (field === number && typeof value !== 'number' ? [value] : []));
  const strings = of(6).map(bytes => new TextDecoder().decode(bytes));
  const names = new Map(of(5).map(bytes => fieldsOf(bytes).map(([, value]) => Number(value)) as [number, number]));
  const samples = of(2).map(bytes => {
    const [locations, values] = fieldsOf(bytes).map(([, value]) => [...(value as Uint8Array)]);
    return [locations?.map(id => strings[names.get(id) ?? 0]), values?.[0]];
  });
  expect(strings[0]).toBe('');
  expect(samples).toEqual([
    [['call', 'map', 'p'], 2],
    [['map; x', 'p'], 1],
    [['(idle)'], 1],
  ]);
});
