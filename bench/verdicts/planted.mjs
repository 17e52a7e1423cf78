/**
 * Random pipelines with one planted bottleneck each. A pipeline is drawn first, without any: a source, some maps, in part
 * of them a branch, a batch, a consumer. Its narrow place is then made by giving one place less than the rest needs; how
 * much less is drawn too.
 */
import { logNormal, randomOf } from '../virtual/random.mjs';

const SPREAD = 0.3;

/** Pipelines as drawn: `rate` is what the planted place will allow, everything else allows more. */
function draw(random) {
  const rate = random.logBetween(15, 80);
  const batch = random.pick([1, 1, 2, 4]);
  const maps = 2 + Math.floor(random.uniform() * 3);
  /** Seconds per element for a place that can keep up `ease` times the planted rate. */
  const easily = (lanes, elements) => lanes / (rate * elements * random.logBetween(1.3, 6));
  const stages = [
    {
      id: 'source',
      lanes: 1,
      operators: [{ id: 'source', kind: 'range', sequential: true, settings: {}, cpu: 20e-6, bytes: 100 }],
    },
  ];
  for (let at = 0; at < maps; at++) {
    const lanes = random.pick([1, 1, 2, 3, 4]);
    const id = `map${at}`;
    const cpu = easily(lanes, batch);
    stages.push({
      id,
      lanes,
      inputs: [stages.at(-1).id],
      operators: [
        { id, cpu: logNormal(cpu * 0.8, SPREAD), bytes: logNormal(random.logBetween(1e3, 1e5), 0.3) },
        { id: `${id}-after`, cpu: logNormal(cpu * 0.2, SPREAD), bytes: logNormal(random.logBetween(1e3, 1e5), 0.3) },
      ],
    });
  }
  const isBranched = random.uniform() < 0.3;
  if (isBranched) branch(stages, random, easily(1, batch));
  stages.push({
    id: 'batch',
    lanes: 1,
    inputs: [stages.at(-1).id],
    operators: [{ id: 'batch', kind: 'batch', sequential: true, cpu: 20e-6, out: 1 / batch, bytes: 1e4 * batch }],
  });
  for (const stage of stages) {
    stage.slots = 2 * stage.lanes + 2;
    stage.overhead = 15e-6;
  }
  return {
    rate,
    batch,
    stages,
    cores: Math.max(2, Math.ceil(rate * demandOf(stages) * batch * random.between(1.6, 3))),
    consumer: { step: 1 / (rate * random.logBetween(2, 20)), asleep: random.uniform() < 0.5 },
    seconds: 45,
    sampleSeconds: 0.1,
  };
}

/** Two ways beside each other, put together again: one of each (zip). */
function branch(stages, random, cpu) {
  const from = stages.at(-1).id;
  for (const side of ['left', 'right']) {
    stages.push({
      id: side,
      lanes: 1,
      inputs: [from],
      operators: [{ id: side, cpu: logNormal(cpu * random.between(0.3, 1), SPREAD), bytes: 1e4 }],
    });
  }
  stages.push({
    id: 'zip',
    lanes: 1,
    inputs: ['left', 'right'],
    join: 'zip',
    operators: [{ id: 'zip', kind: 'zip', sequential: true, cpu: 10e-6, bytes: 2e4 }],
  });
}

function meanOf(cpu) {
  if (typeof cpu !== 'function') return cpu ?? 0;
  const random = randomOf(7);
  let sum = 0;
  for (let at = 0; at < 200; at++) sum += cpu(random);
  return sum / 200;
}

const maps = ({ stages }) => stages.filter(({ id }) => id.startsWith('map'));
/** Seconds per element at which `lanes` allow just the planted rate. */
const tight = ({ rate, batch }, lanes) => lanes / (rate * batch);
/** CPU seconds of all stages for an element. */
const demandOf = stages => stages.flatMap(({ operators }) => operators).reduce((sum, { cpu }) => sum + meanOf(cpu), 0);
const coresFor = ({ rate, batch, stages }, more) => Math.ceil(rate * batch * demandOf(stages) * more) + 1;

function setLanes(stage, lanes) {
  stage.lanes = lanes;
  stage.slots = 2 * lanes + 2;
}

/** Its lanes are busy for this part of the time at the planted rate. */
function load(pipeline, stage, busy = 0.95) {
  stage.operators[0].cpu = logNormal(tight(pipeline, stage.lanes) * busy, SPREAD);
}

function loadAll(pipeline, { operators, lanes }, busy) {
  for (const operator of operators) operator.cpu = logNormal(tight(pipeline, lanes) * busy, SPREAD);
}

const idsOf = ({ operators }) => operators.map(({ id }) => id);

/** Plants it on one of the maps. */
const onMap = plant => (pipeline, random) => plant(pipeline, random, random.pick(maps(pipeline)));

/** One planter per kind: changes the pipeline and gives the operators it may be pinned on. */
export const PLANTERS = {
  'consumer-bound': (pipeline, random) => {
    pipeline.consumer = { step: logNormal(1 / pipeline.rate, 0.1), asleep: random.uniform() < 0.5 };
    return [];
  },
  'cpu-bound': onMap((pipeline, random, stage) => {
    load(pipeline, stage);
    if (random.uniform() < 0.4) {
      // Hardware: lanes enough, but no cores for them.
      setLanes(stage, 2 * stage.lanes);
      pipeline.cores = Math.max(1, coresFor(pipeline, 1) - 1);
      return [stage.operators[0].id, 'any'];
    }
    pipeline.cores = coresFor(pipeline, 1.5);
    return [stage.operators[0].id];
  }),
  'sequential-operator': onMap((pipeline, _, stage) => {
    setLanes(stage, 1);
    Object.assign(stage.operators[0], {
      kind: 'window',
      sequential: true,
      cpu: logNormal(tight(pipeline, 1) * 0.95, SPREAD),
    });
    stage.operators[1].cpu = 10e-6;
    pipeline.cores = coresFor(pipeline, 1.5);
    return [stage.operators[0].id];
  }),
  'io-latency': onMap((pipeline, random, stage) => {
    if (random.uniform() < 0.5) {
      stage.sleep = logNormal(tight(pipeline, stage.lanes) * 0.85, 0.4);
    } else {
      const bytes = random.logBetween(2e4, 2e5);
      stage.read = logNormal(bytes, 0.8);
      pipeline.storage = {
        bytesPerSecond: bytes * pipeline.rate * pipeline.batch * random.between(8, 30),
        latency: tight(pipeline, stage.lanes) * 0.85,
      };
    }
    return idsOf(stage);
  }),
  'io-bandwidth': onMap((pipeline, random, stage) => {
    setLanes(stage, Math.max(2, stage.lanes));
    const bytes = random.logBetween(2e4, 2e6);
    stage.read = logNormal(bytes, 0.8);
    loadAll(pipeline, stage, 0.1);
    pipeline.storage = { bytesPerSecond: bytes * pipeline.rate * pipeline.batch, latency: 0.1 * tight(pipeline, 1) };
    return idsOf(stage);
  }),
  'io-parallelism': onMap((pipeline, random, stage) => {
    setLanes(stage, random.pick([1, 2]));
    const bytes = random.logBetween(2e4, 2e6);
    stage.read = logNormal(bytes, 0.8);
    loadAll(pipeline, stage, 0.1);
    const perReader = (bytes * pipeline.rate * pipeline.batch) / stage.lanes / 0.85;
    const most = perReader * random.between(6, 20);
    pipeline.storage = { bytesPerSecond: most, perReader };
    // Someone measured this disk: each reader gets so much, up to what it has.
    const points = [1, 2, 4, 8, 16, 32].map(readers => ({
      readers,
      bytesPerSecond: Math.min(most, readers * perReader),
    }));
    pipeline.host = { ...pipeline.host, disk: { points, cold: true } };
    return idsOf(stage);
  }),
  'channel-bound': onMap((pipeline, _, stage) => {
    stage.link = { bytes: 1e6, bytesPerSecond: 1e6 * pipeline.rate * pipeline.batch };
    return [stage.operators.at(-1).id];
  }),
  'cache-too-large': onMap((pipeline, random, stage) => {
    load(pipeline, stage);
    pipeline.cores = coresFor(pipeline, 1.5);
    const cache = stage.operators[1];
    Object.assign(cache, {
      id: 'cache',
      kind: 'cache',
      cpu: 5e-6,
      bytes: logNormal(2e5, 0.3),
      settings: { limit: 1e8 },
    });
    // So many elements in a pass that they take two to twenty times the memory.
    pipeline.stages[0].operators[0].settings = { count: Math.ceil((1e8 * random.logBetween(2, 20)) / 2e5) };
    return ['cache'];
  }),
  'shuffle-warm-up': (pipeline, random) => {
    const seconds = random.between(0.5, 0.8) * pipeline.seconds;
    const batch = pipeline.stages.at(-1);
    const buffer = Math.floor(seconds * pipeline.rate * pipeline.batch * 0.9);
    const stage = random.pick(maps(pipeline));
    load(pipeline, stage);
    pipeline.cores = coresFor(pipeline, 1.5);
    batch.operators.unshift({
      id: 'shuffle',
      kind: 'shuffle',
      sequential: true,
      settings: { buffer },
      cpu: 10e-6,
      bytes: 1e4,
      hold: buffer,
    });
    return ['shuffle'];
  },
  'small-operators': onMap((pipeline, random, stage) => {
    setLanes(stage, 1);
    const all = tight(pipeline, 1) * 0.98;
    const part = random.between(0.6, 0.9);
    stage.overhead = all * part;
    for (const operator of stage.operators) operator.cpu = logNormal((all * (1 - part)) / 2, SPREAD);
    pipeline.cores = coresFor(pipeline, 1.5) + 1;
    return idsOf(stage);
  }),
  'own-threads': onMap((pipeline, random, stage) => {
    setLanes(stage, 1);
    loadAll(pipeline, stage, 0.03);
    const threads = random.pick([2, 4]);
    const wall = tight(pipeline, 1) * 0.9;
    stage.offload = { seconds: logNormal(wall * threads, 0.2), threads };
    pipeline.cores = Math.max(threads + 1, coresFor(pipeline, 1) + threads - 1);
    return idsOf(stage);
  }),
  'skewed-lanes': (pipeline, random) => {
    const all = maps(pipeline);
    const at = 1 + Math.floor(random.uniform() * (all.length - 1));
    const stage = all[at];
    const before = all[at - 1];
    stage.lanes = random.pick([3, 4, 6]);
    const keyed = random.between(0.55, 0.85);
    before.keyed = keyed;
    before.keyedTo = stage.id;
    before.slots = 16;
    stage.operators[0].cpu = logNormal((tight(pipeline, 1) / keyed) * 0.95, SPREAD);
    stage.operators[1].cpu = 10e-6;
    pipeline.cores = coresFor(pipeline, 1.5);
    return idsOf(stage);
  },
  'oversubscribed-cores': onMap((pipeline, random, stage) => {
    load(pipeline, stage, 0.8);
    pipeline.cores = Math.max(2, coresFor(pipeline, 1.2));
    pipeline.others = Math.ceil(pipeline.cores * random.between(2, 4));
    return [];
  }),
  'container-quota': onMap((pipeline, random, stage) => {
    load(pipeline, stage);
    setLanes(stage, 3 * stage.lanes);
    pipeline.cores = Math.max(1, coresFor(pipeline, 1) - 1);
    pipeline.host = { coresPresent: pipeline.cores * random.pick([2, 4, 8]), coresLimit: 'cgroup-v2' };
    return [];
  }),
  'short-recording': (pipeline, random) => {
    pipeline.seconds = random.pick([0.3, 0.5, 5 / pipeline.rate]);
    return [];
  },
};

export function planted(kind, seed) {
  const random = randomOf(seed);
  const pipeline = draw(random);
  const operators = PLANTERS[kind](pipeline, random);
  return { description: { ...pipeline, name: `${kind}-${seed}`, seed }, kind, operators };
}
