import { Random } from '../../math/random.ts';
import { DOWNLINK, type ScaleoutProfile, SERVER, type StepGraph, UPLINK, WORKER } from './step.ts';

export interface LayeredModel {
  readonly batchSize: number;
  readonly steps: number;
  /** Bytes by layer. */
  readonly layers: readonly number[];
  /** Seconds of a layer, forward and backward, and of a server's update. */
  readonly forward: number;
  readonly backward: number;
  readonly update: number;
  /** Standard deviation over mean of every duration. */
  readonly jitter: number;
  readonly seed: number;
}

/**
 * A network of layers one after the other: each is received, computed forward, computed backward, sent and updated. Forward waits for the layer
 * before and for its parameters; the loss is one op more.
 */
export function layeredModel(model: LayeredModel): ScaleoutProfile {
  const graph = layeredGraph(model.layers);
  const random = new Random();
  return {
    batchSize: model.batchSize,
    graphs: [graph],
    steps: Array.from({ length: model.steps }, (_, step) => {
      random.rekey(model.seed, 0, step, 0, 0);
      const durations = graph.names.map(
        (_, op) => durationOf(model, op) * Math.max(0, 1 + model.jitter * random.normal()),
      );
      return { graph: 0, durations, starts: graph.names.map(() => 0), duration: Number.NaN };
    }),
  };
}

/** Ops of a layer, in order; the loss comes after all layers. */
const OPS = 5;

function layeredGraph(layers: readonly number[]): StepGraph {
  const count = layers.length;
  const loss = count * OPS;
  const dependents: number[][] = Array.from({ length: loss + 1 }, () => []);
  const edge = (from: number, to: number): void => {
    dependents[from]?.push(to);
  };
  for (let layer = 0; layer < count; layer++) {
    const [down, forward, backward, up, update] = Array.from({ length: OPS }, (_, op) => layer * OPS + op) as [
      number,
      number,
      number,
      number,
      number,
    ];
    edge(down, forward);
    edge(forward, layer + 1 < count ? forward + OPS : loss);
    if (layer + 1 === count) edge(loss, backward);
    if (layer > 0) edge(backward, backward - OPS);
    edge(backward, up);
    edge(up, update);
  }
  const kinds = ['down', 'forward', 'backward', 'up', 'update'];
  const resources = [DOWNLINK, WORKER, WORKER, UPLINK, SERVER];
  const of = <T>(perLayer: (layer: number, op: number) => T, last: T): T[] => [
    ...layers.flatMap((_, layer) => kinds.map((_, op) => perLayer(layer, op))),
    last,
  ];
  const offsets = [0];
  for (const each of dependents) offsets.push((offsets.at(-1) ?? 0) + each.length);
  return {
    names: of((layer, op) => `${kinds[op]} ${layer}`, 'loss'),
    resources: of((_, op) => resources[op] ?? WORKER, WORKER),
    bytes: of((layer, op) => (op === 0 || op === 3 ? (layers[layer] ?? 0) : 0), 0),
    parameters: of((layer, op) => (op === 1 || op === 2 ? -1 : layer), -1),
    recordedServers: layers.map(() => 0),
    offsets,
    dependents: dependents.flat(),
  };
}

function durationOf({ layers, forward, backward, update }: LayeredModel, op: number): number {
  if (op === layers.length * OPS) return forward;
  return [0, forward, backward, 0, update][op % OPS] ?? 0;
}

/** One transfer each way with a computation between: the only model with a closed solution. */
export const onePhaseModel = (batchSize: number, bytes: number, compute: readonly number[]): ScaleoutProfile => ({
  batchSize,
  graphs: [
    {
      names: ['down', 'compute', 'up'],
      resources: [DOWNLINK, WORKER, UPLINK],
      bytes: [bytes, 0, bytes],
      parameters: [0, -1, 0],
      recordedServers: [0],
      offsets: [0, 1, 2, 2],
      dependents: [1, 2],
    },
  ],
  steps: compute.map(time => ({ graph: 0, durations: [0, time, 0], starts: [0, 0, 0], duration: time })),
});
