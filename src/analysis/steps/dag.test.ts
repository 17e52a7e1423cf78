import { expect, it } from 'vitest';
import type { StepDag } from '../../model/step-dag.ts';
import type { DependencyCause, DependencyRelation, OpWork, StepTrace } from '../../model/step-trace.ts';
import { StepTraceBuilder } from '../../model/step-trace-builder.ts';
import { stepDag } from './dag.ts';
import { StepDags } from './step-dags.ts';

type Op = readonly [name: string, work: OpWork, resource: number, start: number, end: number, parent?: number];
type Dependency = readonly [from: number, to: number, cause: DependencyCause, relation?: DependencyRelation];

function traceOf(ops: readonly Op[], dependencies: readonly Dependency[]): StepTrace {
  const builder = new StepTraceBuilder();
  builder.resource({ name: 'thread', kind: 'host', ordered: true });
  builder.resource({ name: 'stream', kind: 'device', ordered: true });
  builder.resource({ name: 'link', kind: 'network' });
  const step = builder.step({ rank: 0, number: 0, start: 0, duration: 100 });
  for (const [name, work, resource, start, end, parent] of ops) {
    builder.op({ name, work, resource, start, duration: end - start, parent, step });
  }
  for (const [from, to, cause, relation] of dependencies) builder.dependency(from, to, cause, { relation });
  return builder.build('test', '0');
}

/** Nodes as `name work`, and edges between their positions. */
function told({ ops }: StepTrace, dag: StepDag): { readonly nodes: string[]; readonly edges: string[] } {
  const nodes = [...dag.op].map((op, node) => `${ops.names[ops.name[op] ?? 0]} ${dag.work[node]}`);
  const edges = nodes.flatMap((_, node) =>
    [...dag.dependents.slice(dag.dependentsFrom[node], dag.dependentsFrom[node + 1])].map(to => `${node}>${to}`),
  );
  return { nodes, edges };
}

it('cuts a thread into own times, launches where a kernel could start, and takes waits out of calls', () => {
  const trace = traceOf(
    [
      ['step', 'other', 0, 0, 100],
      ['add', 'operator', 0, 10, 30, 0],
      ['launch', 'launch', 0, 15, 25, 1],
      ['kernel', 'compute', 1, 22, 80],
      ['sync', 'sync', 0, 40, 85, 0],
    ],
    [
      [2, 3, 'launch', 'start-start'],
      [3, 4, 'sync', 'end-end'],
    ],
  );
  expect(told(trace, stepDag(trace, [0]))).toEqual({
    nodes: ['step 10', 'add 5', 'launch 7', 'launch 3', 'kernel 58', 'add 5', 'step 10', 'sync 0', 'sync 5', 'step 15'],
    edges: ['0>1', '1>2', '2>3', '2>4', '3>5', '4>8', '5>6', '6>7', '7>8', '8>9'],
  });
});

it('leaves ops whole that are on a resource without an order', () => {
  const trace = traceOf(
    [
      ['a', 'communication', 2, 0, 10],
      ['b', 'communication', 2, 5, 20],
      ['c', 'compute', 1, 20, 30],
    ],
    [[1, 2, 'recv']],
  );
  expect(told(trace, stepDag(trace, [0]))).toEqual({ nodes: ['a 10', 'b 15', 'c 10'], edges: ['1>2'] });
});

it('takes what a step waited for in another for nothing of its own: neither latency of a launch nor time of a call', () => {
  const builder = new StepTraceBuilder();
  const thread = builder.resource({ name: 'thread', kind: 'host', ordered: true });
  const stream = builder.resource({ name: 'stream', kind: 'device', ordered: true });
  const before = builder.step({ rank: 0, number: 0, start: 0, duration: 100 });
  const step = builder.step({ rank: 0, number: 1, start: 100, duration: 100 });
  const earlier = builder.op({
    name: 'earlier',
    work: 'compute',
    resource: stream,
    start: 50,
    duration: 100,
    step: before,
  });
  builder.op({ name: 'annotation', work: 'annotation', resource: stream, start: 151, duration: 1, step: before });
  const launch = builder.op({ name: 'launch', work: 'launch', resource: thread, start: 100, duration: 4, step });
  const kernel = builder.op({ name: 'kernel', work: 'compute', resource: stream, start: 152, duration: 20, step });
  const sync = builder.op({ name: 'sync', work: 'sync', resource: thread, start: 110, duration: 43, step });
  builder.dependency(launch, kernel, 'launch', { relation: 'start-start' });
  builder.dependency(earlier, sync, 'sync', { relation: 'end-end' });
  const trace = builder.build('test', '0');
  for (const dag of [stepDag(trace, [1]), new StepDags(trace).of(1)]) {
    expect(told(trace, dag).nodes).toEqual(['launch 4', 'sync 0', 'sync 3', 'kernel 20']);
    expect([...dag.delay]).toEqual([0, 0, 0]);
  }
});

it('refuses ops that wait for each other', () => {
  const ops: Op[] = [
    ['a', 'communication', 2, 0, 10],
    ['b', 'communication', 2, 5, 20],
  ];
  const trace = traceOf(ops, [
    [0, 1, 'data'],
    [1, 0, 'data'],
  ]);
  expect(() => stepDag(trace, [0])).toThrow(expect.objectContaining({ code: 'VENTURI_STEPS_CYCLIC' }));
});
