import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { DEPENDENCY_CAUSES, type StepTrace } from '../../../model/step-trace.ts';
import { importKineto } from '../kineto/import.ts';
import { type FakeEvent, kinetoText } from '../kineto/trace.fixture.ts';
import { readExecutionTrace, readSteps } from '../read.ts';
import { dataFlows } from './data-flow.ts';
import { importExecutionTrace } from './import.ts';

interface MadeNode {
  readonly id: number;
  readonly name: string;
  readonly parent: number;
  readonly record: number;
  readonly schema?: string;
  readonly inputs?: unknown[];
  readonly outputs?: unknown[];
}

const DATA = DEPENDENCY_CAUSES.indexOf('data');

const tensor = (storage: number): unknown[] => [900 + storage, storage, 0, 64, 4, 'cuda:0'];

/** As torch 2.0 wrote it. */
const older = (nodes: readonly MadeNode[]): string =>
  JSON.stringify({
    schema: '1.0.1',
    nodes: nodes.map(({ id, name, parent, record, schema = '', inputs = [], outputs = [] }) => ({
      ...{ id, name, parent, rf_id: record, op_schema: schema, inputs, outputs },
    })),
  });

/** As torch 2.11 writes it. */
const newer = (nodes: readonly MadeNode[]): string =>
  JSON.stringify({
    schema: '1.1.1-chakra.0.0.4',
    pid: 7,
    nodes: nodes.map(({ id, name, parent, record, schema = '', inputs = [], outputs = [] }) => ({
      id,
      name,
      ctrl_deps: parent,
      inputs: { values: inputs, shapes: [], types: [] },
      outputs: { values: outputs, shapes: [], types: [] },
      attrs: [
        { name: 'rf_id', type: 'uint64', value: record },
        { name: 'op_schema', type: 'string', value: schema },
      ],
    })),
  });

const file = (text: string) => ({ name: 'et.json', bytes: Buffer.from(text) });

/** linear writes 1, relu reads 1 and writes 2, add_ changes 2 in a list, sum reads 2. Their caller reads and writes the same. */
const NODES: MadeNode[] = [
  { id: 2, name: '[process]', parent: 1, record: 0 },
  { id: 3, name: 'caller', parent: 2, record: 1, inputs: [tensor(1)], outputs: [tensor(2)] },
  { id: 4, name: 'linear', parent: 3, record: 2, inputs: [tensor(8), tensor(9)], outputs: [tensor(1)] },
  { id: 5, name: 'relu', parent: 3, record: 3, inputs: [tensor(1), 1.5, 'x', [64, 64]], outputs: [tensor(2)] },
  {
    id: 6,
    name: 'add_',
    parent: 2,
    record: 4,
    schema: 'aten::_foreach_add_.List(Tensor(a!)[] self, Tensor[] other, *, Scalar alpha=1) -> ()',
    inputs: [[tensor(2)], [tensor(9)], 1],
  },
  { id: 7, name: 'sum', parent: 2, record: 5, inputs: [tensor(2)], outputs: [tensor(3)] },
];

describe('an execution trace', () => {
  it.each([
    ['older', older],
    ['newer', newer],
  ])('of an %s torch says which operator reads what another wrote', (_, written) => {
    const { nodes, isCut } = importExecutionTrace(file(written(NODES)));
    expect(isCut).toBe(false);
    expect(dataFlows(nodes)).toEqual([
      { from: 2, to: 3 },
      { from: 3, to: 4 },
      { from: 4, to: 5 },
    ]);
  });

  it('that breaks off is taken as far as it goes', () => {
    const text = newer(NODES);
    for (const cut of [text.lastIndexOf('{"id"'), text.lastIndexOf('"attrs"'), text.length - 2]) {
      const { nodes, isCut } = importExecutionTrace(file(text.slice(0, cut)));
      expect([nodes.length, isCut]).toEqual([cut === text.length - 2 ? 6 : 5, true]);
    }
  });

  it.each([
    ['', 'it is no JSON object'],
    ['[]', 'it is no JSON object'],
    ['{"schema": "1"}', 'it has no list of nodes'],
    ['{"nodes": 5}', 'it has no list of nodes'],
    ['{"nodes": [{"id": "x"}]}', 'nodes.0.id: '],
    ['{"nodes": [{"id": 1, "name": "a", "inputs": 7}]}', 'nodes.0.inputs: '],
    ['{"nodes": [{"id": 1,, "name": "a"}]}', 'nodes.0: '],
    ['{"nodes": [,]}', 'a value is missing'],
  ])('is refused: %s', (text, why) => {
    const message = expect.stringContaining(`et.json is not a whole execution trace of PyTorch: ${why}`);
    expect(() => importExecutionTrace(file(text))).toThrow(
      expect.objectContaining({ code: 'VENTURI_STEPS_UNREADABLE', message, remedy: expect.any(String) }),
    );
  });
});

describe('beside a trace of the profiler', () => {
  const [MAIN, OTHER] = [7000, 7001];
  const op = (name: string, record: number, at: number, thread: number): FakeEvent => ({
    ...{ cat: 'cpu_op', name, at, for: 10, thread, args: { 'Record function id': record } },
  });
  const launched = (correlation: number, at: number, thread: number, kernelAt: number, stream: number): FakeEvent[] => [
    { cat: 'cuda_runtime', name: 'cudaLaunchKernel', at, for: 2, thread, args: { correlation } },
    { cat: 'kernel', name: `kernel ${correlation}`, at: kernelAt, for: 10, stream, args: { correlation } },
  ];
  const events = [
    op('linear', 2, 100, MAIN),
    ...launched(1, 102, MAIN, 110, 7),
    ...launched(2, 105, MAIN, 121, 7),
    op('relu', 3, 120, OTHER),
    ...launched(3, 122, OTHER, 140, 20),
    ...launched(4, 125, OTHER, 160, 20),
    op('add_', 4, 140, OTHER),
    ...launched(5, 142, OTHER, 175, 20),
    op('other name', 5, 200, MAIN),
  ];
  const flows = (trace: StepTrace): string[] =>
    Array.from(trace.dependencies.from, (from, at) => {
      const { to, cause } = trace.dependencies;
      const name = (each: number): string => trace.ops.names[trace.ops.name[each] ?? 0] ?? '';
      return `${DEPENDENCY_CAUSES[cause[at] ?? 0]} ${name(from)} > ${name(to[at] ?? 0)}`;
    }).filter(each => each.startsWith('data'));

  it('adds dependencies that neither streams nor threads have', async () => {
    const executionTrace = importExecutionTrace(file(newer(NODES)));
    const trace = await importKineto([Buffer.from(kinetoText(events))], {
      path: 'k.json',
      executionTraceOf: async () => executionTrace,
    });
    expect(flows(trace)).toEqual(['data linear > relu', 'data kernel 2 > kernel 3']);
    expect(trace.assumptions.map(({ what, count, of }) => `${count}/${of} ${what}`)).toContain(
      '1/4 operators that the execution trace does not have: nothing is known of their data',
    );
  });
});

const traces = fileURLToPath(new URL('../../../../../shared/traces/', import.meta.url));
const present = existsSync(traces);

describe.skipIf(!present)(`real execution traces${present ? '' : ': SKIPPED, ../shared/traces is not there'}`, () => {
  /** Dependencies by data, and what was told of the execution trace. */
  const joined = async (kineto: string, executionTrace: string): Promise<[number, string[]]> => {
    const trace = await readSteps(traces + kineto, {
      executionTraceOf: () => readExecutionTrace(traces + executionTrace),
    });
    const told = trace.assumptions.filter(({ what }) => what.includes('execution trace'));
    return [trace.dependencies.cause.filter(cause => cause === DATA).length, told.map(({ what }) => what)];
  };

  it('join all operators of ResNet-50, though the file breaks off', async () => {
    expect(await joined('h200_resnet50_w2.json.gz', 'h200_resnet50_w2_et.json.gz')).toEqual([
      2121,
      ['execution trace that breaks off: taken as far as it goes'],
    ]);
  });

  it('join the operators of an older profiler by their external ids', async () => {
    expect(await joined('hta_et_simple_add_kineto.json.gz', 'hta_et_simple_add.json.gz')).toEqual([0, []]);
  });
});
