/**
 * The model that the simulator is measured on: 142 parameter tensors of 100 MB in all, 23 of them above WIN, each received, used forward and
 * backward, sent and updated. With the parsing of what is received these are 995 ops, 994 dependencies and 1,041 events a step.
 */
import { mulberry32 } from '../harness.mjs';

export const BATCH_SIZE = 64;
/** 10 Gb/s. */
export const BANDWIDTH = 1.25e9;
export const WINDOW = 2 ** 20;
export const OVERHEAD = { perByte: 2e-10, perMessage: 2e-5 };

const LAYERS = 142;
const LARGE = 23;
const TOTAL_BYTES = 1e8;
const COMPUTE_SECONDS = 0.3;
const UPDATE_SECONDS = 1e-4;
const PROFILED_STEPS = 100;
const JITTER = 0.05;

const DOWNLINK = 0;
const WORKER = 1;
const UPLINK = 2;
const SERVER = 3;

export function profileOf() {
  const random = mulberry32(24);
  const graph = graphOf(tensorBytes(random));
  return {
    batchSize: BATCH_SIZE,
    graphs: [graph],
    steps: Array.from({ length: PROFILED_STEPS }, () => ({
      graph: 0,
      durations: graph.resources.map(resource => durationOf(resource) * (1 + JITTER * (2 * random() - 1))),
      starts: graph.names.map(() => 0),
      duration: COMPUTE_SECONDS,
    })),
  };
}

const durationOf = resource =>
  resource === WORKER ? COMPUTE_SECONDS / (2 * LAYERS + 1) : resource === SERVER ? UPDATE_SECONDS : 0;

/** A large tensor now and then among small ones, as in a convolutional network. */
function tensorBytes(random) {
  const isLarge = layer => Math.floor(((layer + 1) * LARGE) / LAYERS) > Math.floor((layer * LARGE) / LAYERS);
  const raw = Array.from({ length: LAYERS }, (_, layer) =>
    isLarge(layer) ? 2e6 + 4e6 * random() : 1e3 + 3e5 * random(),
  );
  const sum = raw.reduce((a, b) => a + b, 0);
  return raw.map(bytes => Math.round((bytes * TOTAL_BYTES) / sum));
}

function graphOf(bytes) {
  const ops = [];
  const dependents = [];
  const add = (name, resource, size = 0, parameter = -1) => {
    dependents.push([]);
    return ops.push({ name, resource, size, parameter }) - 1;
  };
  const down = bytes.map((size, layer) => add(`down${layer}`, DOWNLINK, size, layer));
  const forward = bytes.map((_, layer) => add(`forward${layer}`, WORKER));
  const loss = add('loss', WORKER);
  const backward = bytes.map((_, layer) => add(`backward${layer}`, WORKER));
  const up = bytes.map((size, layer) => add(`up${layer}`, UPLINK, size, layer));
  const update = bytes.map((_, layer) => add(`update${layer}`, SERVER, 0, layer));
  for (const layer of bytes.keys()) {
    dependents[down[layer]].push(forward[layer]);
    dependents[forward[layer]].push(forward[layer + 1] ?? loss);
    if (layer === bytes.length - 1) dependents[loss].push(backward[layer]);
    else dependents[backward[layer + 1]].push(backward[layer]);
    dependents[backward[layer]].push(up[layer]);
    dependents[up[layer]].push(update[layer]);
  }
  const offsets = [0];
  for (const each of dependents) offsets.push(offsets.at(-1) + each.length);
  return {
    names: ops.map(({ name }) => name),
    resources: ops.map(({ resource }) => resource),
    bytes: ops.map(({ size }) => size),
    parameters: ops.map(({ parameter }) => parameter),
    recordedServers: bytes.map(() => 0),
    offsets,
    dependents: dependents.flat(),
  };
}
