import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { ResourceKind } from './step-trace.ts';
import { StepTraceBuilder } from './step-trace-builder.ts';
import { parseStepTrace, type StepTraceJson, stepTraceJson } from './step-trace-json.ts';

/** The example of the guide. */
const [, example = ''] = /```json\n([\s\S]*?)```/.exec(readFileSync('docs/steps.md', 'utf8')) ?? [];
const minimal = {
  format: 'venturi-steps',
  version: 1,
  resources: [{ name: 'thread', kind: 'host' }],
  steps: [],
  ops: [{ name: 'op', resource: 0, start: 0, duration: 1 }],
} satisfies StepTraceJson;

it('puts ops in order of start, an enclosing one first, and follows with what refers to them', () => {
  const builder = new StepTraceBuilder();
  const resource = builder.resource({ name: 'thread', kind: 'host' });
  const op = (name: string, start: number, duration: number, parent?: number): number =>
    builder.op({ name, work: 'operator', resource, start, duration, parent });
  const late = op('late', 20, 5);
  const outer = op('outer', 10, 10);
  const inner = op('inner', 10, 4, outer);
  const early = op('early', 0, 5);
  builder.dependency(early, late, 'thread');
  builder.dependency(inner, late, 'data', { relation: 'start-start', guessed: true });
  const { ops, dependencies } = builder.build('test', '0');
  expect([...ops.name].map(name => ops.names[name])).toEqual(['early', 'outer', 'inner', 'late']);
  expect([...ops.parent]).toEqual([-1, -1, 1, -1]);
  expect([...dependencies.from]).toEqual([0, 2]);
  expect([...dependencies.to]).toEqual([3, 3]);
  expect([...dependencies.guessed]).toEqual([0, 1]);
});

it('is the same after it has been written as JSON', () => {
  const trace = parseStepTrace(JSON.parse(example), 'example.json');
  expect([trace.ops.count, trace.dependencies.count, trace.ops.bytes[0]]).toEqual([4, 2, Number.NaN]);
  expect(parseStepTrace(JSON.parse(JSON.stringify(stepTraceJson(trace))), 'again.json')).toEqual(trace);
});

it.each([
  [[], 'the document'],
  [{ ...minimal, version: 2 }, 'version'],
  [{ ...minimal, ops: [{ name: 'op', resource: 1, start: 0, duration: 1 }] }, 'ops.0.resource is 1, and there are 1'],
  [{ ...minimal, ops: [{ ...minimal.ops[0], duration: -1 }] }, 'ops.0.duration'],
  [{ ...minimal, ops: [{ ...minimal.ops[0], step: 0 }] }, 'ops.0.step is 0, and there are 0'],
  [{ ...minimal, dependencies: [{ from: 0, to: 1 }] }, 'dependencies.0.to is 1, and there are 1'],
  [{ ...minimal, dependencies: [{ from: 0, to: 0 }] }, 'dependencies.0: op 0 would wait for itself'],
  [{ ...minimal, ops: [{ ...minimal.ops[0], parent: 0 }] }, 'ops.0.parent is 0, whose time'],
  [
    { ...minimal, ops: [minimal.ops[0], { ...minimal.ops[0], start: 1, parent: 0 }] },
    'ops.1.parent is 0, whose time on the same resource does not hold it',
  ],
  [
    { ...minimal, ops: [{ ...minimal.ops[0], parent: 1 }, minimal.ops[0]] },
    'ops.0.parent is 1, whose time on the same resource does not hold it',
  ],
  [
    {
      ...minimal,
      steps: [
        { number: 0, start: 5, duration: 1 },
        { number: 1, start: 0, duration: 1 },
      ],
    },
    'steps.1 comes before steps.0: they must be in order of rank, then of start',
  ],
  [
    {
      ...minimal,
      ranks: [{ rank: 0 }, { rank: 1 }],
      resources: [{ name: 'thread', kind: 'host', rank: 1 }],
      steps: [{ rank: 0, number: 0, start: 0, duration: 1 }],
      ops: [{ ...minimal.ops[0], step: 0 }],
    },
    'ops.0.step is 0, one of rank 0, and its resource is of rank 1',
  ],
])('refuses %j', (document, why) => {
  const refused = expect.objectContaining({ code: 'VENTURI_STEPS_UNREADABLE', message: expect.stringContaining(why) });
  expect(() => parseStepTrace(document, 'x.json')).toThrow(refused);
});

it('takes a resource that names no rank for one of the only rank, and a server for one of none', () => {
  const links = ['downlink', 'uplink', 'network', 'server'] as const;
  const ranksOf = (kinds: readonly ResourceKind[], ranks?: StepTraceJson['ranks']): unknown[] => {
    const resources = kinds.map(kind => ({ name: kind, kind }));
    return parseStepTrace({ ...minimal, resources, ranks }, 'x.json').resources.map(({ rank }) => rank);
  };
  expect(ranksOf(['host', 'device', ...links])).toEqual([0, 0, 0, 0, 0, undefined]);
  const several = [{ rank: 0 }, { rank: 1 }];
  expect(ranksOf(links, several)).toEqual(links.map(() => undefined));
  for (const kind of ['host', 'device'] as const) {
    expect(() => ranksOf([kind], several)).toThrow(/resources\.0\.rank is missing: there are 2 ranks/);
  }
});

it('refuses more bytes than can be counted', () => {
  const [op] = minimal.ops;
  const big = { ...minimal, ops: [{ ...op, bytes: 1e300 }] };
  expect(() => parseStepTrace(big, 'x.json')).toThrow(/ops\.0\.bytes/);
});
