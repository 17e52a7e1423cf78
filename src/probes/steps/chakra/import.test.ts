import { expect, it } from 'vitest';
import { DEPENDENCY_CAUSES, OP_WORK, type StepTrace } from '../../../model/step-trace.ts';
import { importChakra, importChakraJson } from './import.ts';

interface MadeNode {
  readonly id: number;
  readonly name: string;
  readonly type: number;
  readonly waitsFor?: number[];
  readonly start?: number;
  readonly duration: number;
  readonly attributes?: Record<string, number | string | boolean>;
}

const varint = (value: number): number[] =>
  value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))];
const delimited = (bytes: number[]): number[] => [...varint(bytes.length), ...bytes];
const number = (field: number, value: number): number[] => [...varint(field * 8), ...varint(value)];
const message = (field: number, bytes: number[]): number[] => [...varint(field * 8 + 2), ...delimited(bytes)];
const text = (field: number, value: string): number[] => message(field, [...Buffer.from(value)]);

const attribute = ([name, value]: [string, number | string | boolean]): number[] => {
  if (typeof value === 'string') return [...text(1, name), ...text(29, value)];
  return [...text(1, name), ...(typeof value === 'number' ? number(9, value) : number(27, value ? 1 : 0))];
};

/** As chakra_converter writes it. */
const binary = (nodes: MadeNode[]): Uint8Array =>
  Uint8Array.from([
    ...delimited(message(2, attribute(['schema', '1.0.2']))),
    ...nodes.flatMap(({ id, name, type, waitsFor = [], start = 0, duration, attributes = {} }) =>
      delimited([
        ...number(1, id),
        ...text(2, name),
        ...number(3, type),
        ...message(4, [99]),
        ...message(5, waitsFor.flatMap(varint)),
        ...number(6, start),
        ...number(7, duration),
        ...Object.entries(attributes).flatMap(each => message(10, attribute(each))),
      ]),
    ),
  ]);

/** As chakra_jsonizer writes it. */
const json = (nodes: MadeNode[]): Uint8Array => {
  const types = { 4: 'COMP_NODE', 7: 'COMM_COLL_NODE' } as Record<number, string>;
  const messages = nodes.map(({ id, name, type, waitsFor = [], start = 0, duration, attributes = {} }) => ({
    id: String(id),
    name,
    type: types[type],
    ctrlDeps: ['99'],
    dataDeps: waitsFor.map(String),
    startTimeMicros: String(start),
    durationMicros: String(duration),
    attr: Object.entries(attributes).map(([key, value]) => {
      if (typeof value === 'string') return { name: key, stringVal: value };
      return typeof value === 'number' ? { name: key, int64Val: String(value) } : { name: key, boolVal: value };
    }),
  }));
  return Buffer.from(
    [{ attr: [{ name: 'schema', stringVal: '1.0.2' }] }, ...messages]
      .map(each => JSON.stringify(each, undefined, 2))
      .join(''),
  );
};

/** As Chakra's feeder reads it. */
const graph = (nodes: MadeNode[]): Uint8Array =>
  Buffer.from(
    JSON.stringify({
      workload_graph: nodes.map(({ id, name, type, waitsFor = [], start, duration, attributes }) => ({
        Id: id,
        Name: name,
        NodeType: type,
        data_deps: waitsFor,
        runtime: duration,
        start_time: start,
        ...attributes,
      })),
    }),
  );

const NODES: MadeNode[] = [
  { id: 216, name: 'aten::mm', type: 4, duration: 30, attributes: { is_cpu_op: true, tid: 1 } },
  {
    id: 218,
    name: 'c10d::allreduce_',
    type: 7,
    waitsFor: [216],
    duration: 20,
    attributes: { is_cpu_op: true, tid: 1 },
  },
  { id: 430, name: 'gemm', type: 4, waitsFor: [216], duration: 100, attributes: { is_cpu_op: false, stream: 7 } },
  {
    id: 435,
    name: 'ncclKernel',
    type: 7,
    waitsFor: [218, 430, 12],
    duration: 50,
    attributes: { is_cpu_op: false, stream: 20, comm_type: 0, comm_size: 4096, pg_name: '0' },
  },
];

const nameOf = ({ ops }: StepTrace, op: number | undefined): string => ops.names[ops.name[op ?? 0] ?? 0] ?? '';
const shown = (trace: StepTrace): string[] =>
  Array.from(trace.ops.name, (_, at) => {
    const { work, resource, start, bytes } = trace.ops;
    return `${nameOf(trace, at)} ${OP_WORK[work[at] ?? 0]} ${trace.resources[resource[at] ?? 0]?.name} ${start[at]} ${bytes[at]}`;
  });
const edges = (trace: StepTrace): string[] =>
  Array.from(trace.dependencies.from, (from, at) => {
    const { to, cause } = trace.dependencies;
    return `${nameOf(trace, from)} > ${nameOf(trace, to[at])} ${DEPENDENCY_CAUSES[cause[at] ?? 0]}`;
  });
const refused = (read: () => unknown): string => {
  try {
    read();
  } catch (error) {
    const { code, message: what, remedy } = error as { code: string; message: string; remedy: string };
    expect(remedy).toBeTruthy();
    return `${code} ${what}`;
  }
  throw new Error('nothing was thrown');
};

it('places nodes without a start on threads, streams and the network, and says so', () => {
  const trace = importChakra({ name: 'chakra.0.et', bytes: binary(NODES) }, 3);
  expect(shown(trace)).toEqual([
    'aten::mm operator thread 1 0 NaN',
    'gemm compute stream 7 30000 NaN',
    'c10d::allreduce_ operator thread 1 30000 NaN',
    'ncclKernel communication stream 20 130000 4096',
  ]);
  expect(edges(trace)).toEqual([
    'aten::mm > c10d::allreduce_ given',
    'aten::mm > gemm given',
    'c10d::allreduce_ > ncclKernel given',
    'gemm > ncclKernel given',
  ]);
  expect(trace.collectives).toEqual([{ name: 'allreduce', bytes: 4096, group: '0' }]);
  expect(trace.ranks).toEqual([{ rank: 3, name: 'rank 3' }]);
  expect(trace.steps).toEqual([{ rank: 0, number: 0, start: 0, duration: 180_000 }]);
  expect(trace.assumptions.map(({ what, count, of }) => `${count}/${of} ${what}`)).toEqual([
    '1/5 dependencies on nodes that are not in the file: left out',
    '4/4 ops without a time of start: placed as soon as what they wait for has ended and their resource is free',
    '1/1 trace without marks of steps, taken as one step',
  ]);
});

it('has nodes without a start wait for the one before on their stream: it does one at a time', () => {
  const kernel = (id: number): MadeNode => ({
    id,
    name: `kernel ${id}`,
    type: 4,
    duration: 10,
    attributes: { is_cpu_op: false, stream: 7 },
  });
  const trace = importChakra({ name: 'x.et', bytes: binary([kernel(1), kernel(2), kernel(3)]) }, 0);
  expect(edges(trace)).toEqual(['kernel 1 > kernel 2 stream', 'kernel 2 > kernel 3 stream']);
  expect([...trace.dependencies.guessed]).toEqual([1, 1]);
});

it('keeps starts where there are any', () => {
  const timed = NODES.map((node, at) => ({ ...node, start: 1000 + 10 * at }));
  const trace = importChakra({ name: 'chakra.0.et', bytes: binary(timed) }, 0);
  expect([...trace.ops.start]).toEqual([0, 10_000, 20_000, 30_000]);
  expect([trace.base, trace.steps[0]?.duration]).toEqual(['1000000', 120_000]);
});

it('reads the same from every encoding', () => {
  const nodes = NODES.map((node, at) => ({ ...node, start: 1000 + 10 * at }));
  const trace = importChakra({ name: 'a', bytes: binary(nodes) }, 0);
  expect(importChakraJson({ name: 'b', bytes: json(nodes) }, 0)).toEqual(trace);
  expect(importChakraJson({ name: 'c', bytes: graph(nodes) }, 0)).toEqual(trace);
});

it('takes communication of traces made by hand to be on the network, with sizes missing', () => {
  const nodes = [
    { id: 0, name: 'compute', type: 4, duration: 10 },
    { id: 1, name: 'send', type: 5, waitsFor: [0], duration: 5 },
  ];
  const trace = importChakraJson({ name: 'a', bytes: graph(nodes) }, 0);
  expect(shown(trace)).toEqual(['compute compute device 0 NaN', 'send communication network 10000 NaN']);
  expect(trace.assumptions.map(({ what }) => what)).toContain(
    'communication without a size (comm_size): its bytes are not known',
  );
});

it('refuses what is damaged, and says what is wrong', () => {
  const circle = [
    { id: 1, name: 'a', type: 4, waitsFor: [2], duration: 1 },
    { id: 2, name: 'b', type: 4, waitsFor: [1], duration: 1 },
  ];
  const file = (bytes: Uint8Array) => ({ name: 'x.et', bytes });
  expect(refused(() => importChakra(file(binary(circle)), 0))).toBe(
    'VENTURI_STEPS_CYCLIC x.et: 2 of its 2 nodes wait for each other in a circle, or for one that does: node 1, a, among them.',
  );
  expect(refused(() => importChakra(file(binary([])), 0))).toBe('VENTURI_STEPS_NONE x.et has no nodes.');
  const whole = binary(NODES);
  expect(refused(() => importChakra(file(whole.subarray(0, whole.length - 5)), 0))).toMatch(
    /^VENTURI_STEPS_UNREADABLE x\.et is not a whole Chakra execution trace: .*see byte/,
  );
  expect(refused(() => importChakra(file(whole.subarray(0, 5)), 0))).toContain('it ends within its metadata');
  expect(refused(() => importChakra(file(binary([...NODES, ...NODES])), 0))).toContain('two nodes have the id 216');
  expect(refused(() => importChakraJson(file(json(NODES).subarray(0, 400)), 0))).toContain(
    'VENTURI_STEPS_UNREADABLE x.et',
  );
  expect(refused(() => importChakraJson(file(Buffer.from('{"workload_graph":[{"Id":"x"}]}')), 0))).toContain(
    'workload_graph.0.Id: ',
  );
  expect(refused(() => importChakraJson(file(Buffer.from('{"id":1} {"id":2,"dataDeps":7}')), 0))).toContain(
    'message 1.dataDeps: ',
  );
});
