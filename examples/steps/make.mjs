/**
 * Makes vgg11-one-worker.json.gz, a trace to try `venturi predict` on: twelve steps of VGG-11 with one parameter server at 1 Gb/s. Layers have the sizes of
 * figure 23 of "Throughput Prediction of Asynchronous SGD in TensorFlow" (ICPE 2020); times are drawn, and streams go as HTTP/2 sends them with a window of
 * 1 MiB. Nothing in it was measured. It needs a build: `npm run build`, then `node examples/steps/make.mjs`.
 */
import { writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { StepTraceBuilder, stepTraceJson } from '../../dist/model/index.js';
import { clusterOf, compileSteps, STEP_SETTINGS, simulate } from '../../dist/prediction/scaleout/index.js';

const STEPS = 12;
const BANDWIDTH = 1.25e8;
const WINDOW = 2 ** 20;
const OVERHEAD = { perByte: 9e-10, perMessage: 2e-4 };
const MB = 1e6;
const NS = 1e9;
/** Requests for tensors go out one after the other. */
const REQUEST_SECONDS = 1e-6;

/** Bytes, and seconds forward; backward takes twice as long. */
const LAYERS = [
  ['conv0', 6.8e3, 256, 0.06],
  ['conv1', 0.3 * MB, 512, 0.16],
  ['conv2', 1.1 * MB, 1e3, 0.12],
  ['conv3', 2.2 * MB, 1e3, 0.24],
  ['conv4', 4.5 * MB, 2e3, 0.12],
  ['conv5', 9 * MB, 2e3, 0.24],
  ['conv6', 9 * MB, 2e3, 0.07],
  ['conv7', 9 * MB, 2e3, 0.07],
  ['fc0', 392 * MB, 16e3, 0.2],
  ['fc1', 64 * MB, 16e3, 0.03],
  ['fc2', 15.6 * MB, 16e3, 0.01],
].flatMap(([name, weights, biases, seconds]) => [
  { name: `${name}/weights`, bytes: weights, seconds },
  { name: `${name}/biases`, bytes: biases, seconds: seconds / 50 },
]);

const [DOWNLINK, WORKER, UPLINK, SERVER] = [0, 1, 2, 3];
const KINDS = ['read', 'forward', 'backward', 'gradient', 'update'];
const RESOURCES = [DOWNLINK, WORKER, WORKER, UPLINK, SERVER];

/** The same numbers every time (mulberry32). */
let state = 24;
function random() {
  state = (state + 0x6d2b79f5) | 0;
  let t = Math.imul(state ^ (state >>> 15), 1 | state);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
}

const at = (layer, kind) => layer * KINDS.length + kind;
const graph = graphOf();
const profile = {
  batchSize: 1,
  graphs: [graph],
  steps: Array.from({ length: STEPS }, () => ({
    graph: 0,
    durations: LAYERS.flatMap(({ seconds, bytes }) => [0, seconds, 2 * seconds, 0, bytes * 2e-10]).map(
      seconds => seconds * (0.95 + 0.1 * random()),
    ),
    starts: graph.names.map(() => 0),
    duration: 0,
  })),
};

function graphOf() {
  const dependents = LAYERS.flatMap((_, layer) => [
    [at(layer, 1)],
    layer + 1 < LAYERS.length ? [at(layer + 1, 1)] : [at(layer, 2)],
    [...(layer > 0 ? [at(layer - 1, 2)] : []), at(layer, 3)],
    [at(layer, 4)],
    [],
  ]);
  const offsets = [0];
  for (const each of dependents) offsets.push(offsets.at(-1) + each.length);
  return {
    names: LAYERS.flatMap(({ name }) => KINDS.map(kind => `${name}/${kind}`)),
    resources: LAYERS.flatMap(() => RESOURCES),
    bytes: LAYERS.flatMap(({ bytes }) => [bytes, 0, 0, bytes, 0]),
    parameters: LAYERS.flatMap((_, layer) => [layer, -1, -1, layer, layer]),
    recordedServers: LAYERS.map(() => 0),
    offsets,
    dependents: dependents.flat(),
  };
}

const builder = new StepTraceBuilder();
builder.rank({ rank: 0, name: 'worker 0', worldSize: 1 });
const resources = [
  builder.resource({ name: 'from server 0', kind: 'downlink', server: 0 }),
  builder.resource({ name: 'worker 0', kind: 'device', rank: 0 }),
  builder.resource({ name: 'to server 0', kind: 'uplink', server: 0 }),
  builder.resource({ name: 'server 0', kind: 'server', server: 0 }),
];

/** A stream is recorded from the moment when its tensor is ready to the moment when it has been parsed, as TensorFlow does. */
function record(step, start, end, times) {
  const number = builder.step({ rank: 0, number: step, start: start * NS, duration: (end - start) * NS });
  const count = graph.names.length;
  const parserOf = op => compiled.dependents[compiled.offsets[op]];
  const endOf = op => times.get(graph.bytes[op] > 0 ? parserOf(op) : op).end;
  const ops = Array.from({ length: count }, (_, op) => {
    const kind = graph.resources[op];
    const isStream = graph.bytes[op] > 0;
    const from =
      kind === DOWNLINK ? start + op * REQUEST_SECONDS : kind === UPLINK ? endOf(op - 1) : times.get(op).start;
    return builder.op({
      name: graph.names[op],
      work: isStream ? 'communication' : 'compute',
      resource: resources[kind],
      start: Math.round(from * NS),
      duration: Math.round((endOf(op) - from) * NS),
      bytes: isStream ? graph.bytes[op] : undefined,
      step: number,
    });
  });
  for (let op = 0; op < count; op++) {
    for (const dependent of graph.dependents.slice(graph.offsets[op], graph.offsets[op + 1])) {
      builder.dependency(ops[op], ops[dependent], graph.bytes[op] > 0 ? 'recv' : 'data');
    }
  }
}

const compiled = compileSteps(profile, { ...STEP_SETTINGS, overhead: OVERHEAD });
let times = new Map();
let recorded = 0;
simulate(
  compiled,
  clusterOf({ workers: 1, bandwidth: BANDWIDTH, window: WINDOW }),
  { steps: STEPS, warmUp: 0, seed: 1, inOrder: true },
  {
    chunk(_worker, _unit, op, start, end) {
      times.set(op, { start: times.get(op)?.start ?? start, end });
    },
    step(_worker, _step, start, end) {
      record(recorded++, start, end, times);
      times = new Map();
    },
  },
);
const trace = builder.build('examples/steps/make.mjs', '0');
writeFileSync(
  new URL('vgg11-one-worker.json.gz', import.meta.url),
  gzipSync(JSON.stringify(stepTraceJson(trace)), { level: 9 }),
);
