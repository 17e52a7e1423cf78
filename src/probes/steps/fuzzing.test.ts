import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { rounds } from '../../../test/fixtures/depth.ts';
import { VenturiError } from '../../model/errors.ts';
import type { StepTrace } from '../../model/step-trace.ts';
import { importChakra, importChakraJson } from './chakra/import.ts';
import { CHAKRA_NODE } from './chakra/wire.ts';
import { importExecutionTrace } from './execution-trace/import.ts';
import { Dice, mutatedBytes, mutatedJson, mutatedMessage } from './fuzzing.fixture.ts';
import { importStepsJson } from './json/import.ts';
import { importKineto } from './kineto/import.ts';
import { delimited, encoded } from './protobuf/encoding.fixture.ts';
import { many } from './protobuf/message.ts';
import { textMessage } from './protobuf/text-message.ts';
import { importRunMetadata, importRunMetadataText, importTimeline } from './tensorflow/import.ts';
import { RUN_METADATA } from './tensorflow/run-metadata.ts';

const golden = (name: string): Buffer => readFileSync(new URL(`tensorflow/golden/${name}`, import.meta.url));
const name = 'fuzzed';

/** A call of Session.run in which a tensor goes from a server to a worker and back, a kernel is launched and one copied. */
const [WORKER, SERVER] = ['/job:worker/task:0/device:GPU:0', '/job:ps/task:0/cpu:0'];
const callText = `step_stats {
  dev_stats { device: "${SERVER}"
    node_stats { node_name: "w" all_start_micros: 10 all_end_rel_micros: 2 timeline_label: "w = Var()" }
    node_stats { node_name: "RecvTensor" all_start_micros: 30 all_end_rel_micros: 5
      output { tensor_description { allocation_description { requested_bytes: 64 } } }
      timeline_label: "[64B] [1.2Mb/s] edge_4_g from ${WORKER} to ${SERVER}" }
    node_stats { node_name: "u" all_start_micros: 40 all_end_rel_micros: 2 timeline_label: "u = Apply(w, g_S3, ^w)" }
  }
  dev_stats { device: "${WORKER}"
    node_stats { node_name: "RecvTensor" all_start_micros: 13 all_end_rel_micros: 5 timeline_label: "[1.5MB] edge_2_w from ${SERVER} to ${WORKER}" }
    node_stats { node_name: "g" all_start_nanos: 20000 all_end_rel_nanos: 5000 timeline_label: "g = MatMul(w/_1, x)" }
  }
  dev_stats { device: "/gpu:0/stream:7" node_stats { node_name: "g:MatMul" all_start_micros: 21 all_end_rel_micros: 7 } }
  dev_stats { device: "/gpu:0/memcpy" node_stats { node_name: "edge_9_g:MEMCPYDtoH" all_start_micros: 29 timeline_label: "MEMCPYDtoH 4 bytes" } }
}
partition_graphs { node { name: "g" op: "MatMul" device: "${WORKER}" input: "w/_1" } node { name: "w/_1" op: "_Recv" device: "${WORKER}"
  attr { key: "tensor_name" value { s: "edge_2_w" } } } }`;

const timelineJson = JSON.stringify({
  traceEvents: [
    { ph: 'M', name: 'process_name', pid: 1, args: { name: `${WORKER} Compute` } },
    { ph: 'M', name: 'process_name', pid: 2, args: { name: `${SERVER} Compute` } },
    { ph: 'X', cat: 'Op', pid: 2, ts: 10, dur: 2, args: { name: '_SOURCE', op: 'NoOp' } },
    { ph: 'X', cat: 'Op', pid: 2, ts: 12, dur: 2, args: { name: 'w', op: 'Var' } },
    { ph: 'X', cat: 'Op', pid: 1, ts: 15, dur: 5, args: { name: 'RecvTensor', op: 'RecvTensor' } },
    { ph: 'X', cat: 'Op', pid: 1, ts: 21, dur: 5, args: { name: 'g', op: 'MatMul', input0: 'w/_1', input1: 'x' } },
    { ph: 'X', cat: 'Op', pid: 2, ts: 30, dur: 2, args: { name: '_SOURCE', op: 'NoOp' } },
  ],
});

const graphJson = JSON.stringify({
  workload_graph: [
    { Id: 1, Name: 'a', NodeType: 4, data_deps: [], runtime: 3, is_cpu_op: true },
    { Id: 2, Name: 'b', NodeType: 7, data_deps: [1], runtime: 3, comm_size: 8, comm_type: 0, stream: 7 },
    { Id: 3, Name: 'c', NodeType: 4, data_deps: [1, 2], runtime: 3, is_cpu_op: false },
  ],
});
const messagesJson =
  '{"version": "1"} {"id": "1", "name": "a", "type": "COMP_NODE", "durationMicros": "3"} {"id": "2", "dataDeps": ["1"], "attr": [{"name": "comm_size", "int64Val": "8"}]}';
const CHAKRA_NODES = { node: many(1, CHAKRA_NODE) };
const chakraNodes = textMessage(
  CHAKRA_NODES,
  `node { id: 1 name: "a" type: 4 start_time_micros: 5 duration_micros: 3 attr { name: "is_cpu_op" bool_val: 1 } }
   node { id: 2 name: "b" type: 7 data_deps: 1 start_time_micros: 9 duration_micros: 3 attr { name: "comm_size" int64_val: 8 } }
   node { id: 3 name: "c" type: 4 data_deps: 1 data_deps: 2 }`,
);

const stepsJson = JSON.stringify({
  format: 'venturi-steps',
  version: 1,
  ranks: [{ rank: 0 }],
  resources: [
    { name: 'thread', kind: 'host', rank: 0, ordered: true },
    { name: 'stream', kind: 'device', device: 0 },
  ],
  steps: [{ rank: 0, number: 0, start: 0, duration: 50 }],
  ops: [
    { name: 'mm', work: 'operator', resource: 0, start: 0, duration: 9, step: 0 },
    { name: 'launch', work: 'launch', resource: 0, start: 1, duration: 3, step: 0, parent: 0 },
    { name: 'all', work: 'communication', resource: 1, start: 3, duration: 40, bytes: 8, step: 0, collective: 0 },
  ],
  dependencies: [{ from: 1, to: 2, cause: 'launch', relation: 'start-start' }],
  collectives: [{ name: 'allreduce', bytes: 8, ranks: [0] }],
});

const executionTraceJson = JSON.stringify({
  schema: '1.1.1',
  nodes: [
    {
      id: 2,
      name: 'aten::mm',
      ctrl_deps: 1,
      outputs: { values: [[5, 6, 0, 64, 4, 'cuda:0']] },
      attrs: [{ name: 'rf_id', value: 4 }],
    },
    {
      id: 3,
      name: 'aten::relu',
      ctrl_deps: 1,
      inputs: { values: [[[5, 6, 0, 64, 4, 'cuda:0']]] },
      attrs: [{ name: 'rf_id', value: 5 }],
    },
    {
      id: 4,
      name: 'aten::add_',
      parent: 2,
      rf_id: 6,
      op_schema: 'aten::add_(Tensor(a!) self) -> ()',
      inputs: [[5, 6, 0, 64, 4, 'cpu']],
    },
  ],
});

const kinetoJson = JSON.stringify({
  schemaVersion: 1,
  deviceProperties: [{ id: 0, name: 'A100' }],
  distributedInfo: { rank: 1, world_size: 2 },
  baseTimeNanoseconds: 1_700_000_000,
  traceEvents: [
    { ph: 'X', cat: 'user_annotation', name: 'ProfilerStep#1', pid: 1, tid: 1, ts: 1, dur: 90 },
    { ph: 'X', cat: 'cpu_op', name: 'aten::mm', pid: 1, tid: 1, ts: 2.5, dur: 20, args: { 'External id': 4 } },
    { ph: 'X', cat: 'cuda_runtime', name: 'cudaLaunchKernel', pid: 1, tid: 1, ts: 5, dur: 3, args: { correlation: 7 } },
    {
      ph: 'X',
      cat: 'kernel',
      name: 'gemm',
      pid: 0,
      tid: 7,
      ts: 9,
      dur: 30,
      args: { device: 0, stream: 7, correlation: 7 },
    },
    {
      ph: 'X',
      cat: 'kernel',
      name: 'ncclDevKernel_AllReduce',
      pid: 0,
      tid: 9,
      ts: 9,
      dur: 30,
      args: { stream: 9, 'In msg nelems': 5 },
    },
    {
      ph: 'X',
      cat: 'cuda_runtime',
      name: 'cudaStreamSynchronize',
      pid: 1,
      tid: 1,
      ts: 30,
      dur: 20,
      args: { correlation: 8 },
    },
    {
      ph: 'X',
      cat: 'cuda_sync',
      name: 'Stream Sync',
      pid: 0,
      tid: 7,
      ts: 30,
      dur: 20,
      args: { wait_on_stream: 7, correlation: 8 },
    },
  ],
});

/** Makes a file, another each time. The first of a target's makes the whole one where it is given no dice. */
type Maker = (dice: Dice | undefined) => Uint8Array;

const bytesOf =
  (seed: string | Uint8Array): Maker =>
  dice =>
    dice === undefined ? Buffer.from(seed) : mutatedBytes(dice, Buffer.from(seed));
const jsonOf =
  (seed: string): Maker =>
  dice =>
    dice === undefined ? Buffer.from(seed) : mutatedJson(dice, seed);

const call = textMessage(RUN_METADATA, callText);
const runMetadata: Maker = dice =>
  encoded(RUN_METADATA, dice === undefined ? call : mutatedMessage(dice, RUN_METADATA, call));
const whole = runMetadata(undefined);
const chakra: Maker = dice => {
  const { node } = dice === undefined ? chakraNodes : mutatedMessage(dice, CHAKRA_NODES, chakraNodes);
  return Buffer.concat([Buffer.from('\x0a\x011'), ...node.map(each => encoded(CHAKRA_NODE, each))].map(delimited));
};

/** What is fuzzed: how a file is read, and what makes files. */
interface Target {
  readonly read: (bytes: Uint8Array) => StepTrace | Promise<StepTrace>;
  readonly makers: readonly [Maker, ...Maker[]];
}

const TARGETS: Record<string, Target> = {
  'RunMetadata, binary': {
    read: bytes => importRunMetadata([{ name, bytes }]),
    makers: [runMetadata, bytesOf(whole), bytesOf(golden('step-0.pb').subarray(0, 700))],
  },
  'RunMetadata, among whole ones': {
    read: bytes => importRunMetadata([bytes, whole, whole].map(each => ({ name, bytes: each }))),
    makers: [runMetadata, bytesOf(whole)],
  },
  'RunMetadata, text': { read: bytes => importRunMetadataText([{ name, bytes }]), makers: [bytesOf(callText)] },
  timeline: {
    read: bytes => importTimeline([{ name, bytes }]),
    makers: [jsonOf(timelineJson), bytesOf(timelineJson)],
  },
  'Chakra, protobuf': {
    read: bytes => importChakra({ name, bytes }, 0),
    makers: [chakra, bytesOf(chakra(undefined))],
  },
  'Chakra, JSON': {
    read: bytes => importChakraJson({ name, bytes }, 0),
    makers: [jsonOf(graphJson), bytesOf(graphJson), bytesOf(messagesJson)],
  },
  "Venturi's own": { read: bytes => importStepsJson({ name, bytes }), makers: [jsonOf(stepsJson), bytesOf(stepsJson)] },
  Kineto: {
    read: bytes => importKineto([bytes.subarray(0, 300), bytes.subarray(300)], { path: name }),
    makers: [jsonOf(kinetoJson), bytesOf(kinetoJson)],
  },
  'execution trace': {
    read: bytes => {
      const executionTrace = importExecutionTrace({ name, bytes });
      return importKineto([Buffer.from(kinetoJson)], { path: name, executionTraceOf: async () => executionTrace });
    },
    makers: [jsonOf(executionTraceJson), bytesOf(executionTraceJson)],
  },
};

/** Ops of the whole files that some are read beside. */
const FEWEST = 30;

const REFUSALS = new Set(['VENTURI_STEPS_UNREADABLE', 'VENTURI_STEPS_NONE', 'VENTURI_STEPS_CYCLIC']);

/** What is wrong with a trace, by what its types say; undefined where nothing is. */
function faultIn(
  { ops, dependencies, ranks, resources, steps, collectives }: StepTrace,
  bytes: number,
): string | undefined {
  if (ops.count > Math.max(bytes, FEWEST)) return 'more ops than bytes';
  for (let at = 0; at < ops.count; at++) {
    const [start, duration] = [ops.start[at] ?? Number.NaN, ops.duration[at] ?? Number.NaN];
    if (!Number.isFinite(start) || !(duration >= 0) || duration === Number.POSITIVE_INFINITY)
      return `times of op ${at}`;
    if (start < (ops.start[at - 1] ?? start)) return `order of op ${at}`;
    if (!((ops.resource[at] ?? resources.length) < resources.length)) return `resource of op ${at}`;
    if (!((ops.step[at] ?? 0) < steps.length && (ops.parent[at] ?? 0) < ops.count)) return `step or parent of op ${at}`;
    if (!((ops.collective[at] ?? 0) < collectives.length)) return `collective of op ${at}`;
    if ((ops.bytes[at] ?? 0) < 0) return `bytes of op ${at}`;
  }
  for (let at = 0; at < dependencies.count; at++) {
    const [from, to] = [dependencies.from[at] ?? ops.count, dependencies.to[at] ?? ops.count];
    if (from >= ops.count || to >= ops.count) return `ends of dependency ${at}`;
  }
  if (steps.length === 0 || ops.count === 0) return 'no steps or ops';
  for (const { rank, start, duration } of steps) {
    if (!(rank < ranks.length && Number.isFinite(start) && duration >= 0)) return 'a step';
  }
  return resources.some(({ rank }) => rank !== undefined && rank >= ranks.length) ? 'rank of a resource' : undefined;
}

/** Files of each target. `VENTURI_FUZZ_ROUNDS` asks for others than usual: a release is tried with 100,000. */
const FILES = Number(process.env.VENTURI_FUZZ_ROUNDS) || rounds(1_000, 3_000);

it.each(Object.entries(TARGETS))(
  '%s: any file becomes a trace, or an error with a remedy',
  async (_, { read, makers }) => {
    const dice = new Dice(24);
    const unedited = makers[0](undefined);
    expect(faultIn(await read(unedited), unedited.length)).toBeUndefined();
    const outcomes = { traces: 0, refused: 0 };
    for (let round = FILES; round > 0; round--) {
      const bytes = dice.of(makers)(dice);
      try {
        const fault = faultIn(await read(bytes), bytes.length);
        if (fault !== undefined) throw new Error(fault);
        outcomes.traces++;
      } catch (error) {
        const isRefusal = error instanceof VenturiError && REFUSALS.has(error.code) && error.remedy !== undefined;
        if (!isRefusal) throw new Error(`round ${round}: ${Buffer.from(bytes).toString('base64')}`, { cause: error });
        outcomes.refused++;
      }
    }
    // Both happen: files that are all refused test nothing behind their first bytes.
    expect(Math.min(outcomes.traces, outcomes.refused)).toBeGreaterThan(50);
  },
);
