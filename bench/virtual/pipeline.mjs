/**
 * Runs a described pipeline in virtual time and writes the recording that the engine's probes would have written. Only
 * the counters are there, no spans.
 *
 * A description has `stages` in topological order:
 *   id, lanes, inputs (stage ids; none: a source), join ('merge' takes from whoever has something, 'zip' one of each),
 *   slots of its output channels, link { bytes, bytesPerSecond } where they are slow,
 *   operators: [{ id, kind, sequential, settings, cpu, bytes, out }] with seconds of CPU per element that enters, bytes
 *   of an element that leaves, and elements out per element in,
 *   read (bytes per element from storage), sleep (s), offload { seconds, threads }, overhead (s of CPU per element),
 *   keyed: lanes get elements by key, the first one this part of them.
 * Recordings say the traits of operators, as probes do.
 * `library` has what makes and writes a recording: VirtualClock, Line, createRun, openLane, METRICS. Benches hand in the packed one, tests the built.
 * Figures may be functions of a random source. A `consumer` has a `step` in seconds and `asleep` for one that does not
 * use the CPU. `onSample(seconds, folder)` is called whenever all lanes have written their counters, which can be read by then.
 */
import { Channel, CLOSED, cpu, get, Kernel, offload, put, read, sleep } from './kernel.mjs';
import { facts, START } from './manifest.mjs';
import { randomOf } from './random.mjs';

export function runVirtually(folder, description, library) {
  const {
    name = 'virtual',
    seed = 1,
    seconds = Number.POSITIVE_INFINITY,
    sampleSeconds = 0.25,
    host = {},
    storage,
    stages,
    consumer,
    others = 0,
    elements = Number.POSITIVE_INFINITY,
    onSample,
  } = description;
  const cores = description.cores ?? Number.POSITIVE_INFINITY;
  const random = randomOf(seed);
  const kernel = new Kernel({ cores, storage }, library);
  const channels = [];
  const workers = [];
  const state = { stopped: false };
  const graph = graphOf(description);

  const connect = (from, to, lanesTo) => {
    const parts = from.keyedTo === to ? lanesTo : 1;
    const { slots = 4, link } = from;
    const made = Array.from({ length: parts }, () => new Channel(kernel, { slots, link }, library));
    channels.push({ id: `${from.id} → ${to}`, from: from.id, to, parts: made, slots });
    return made;
  };
  const inputsOf = new Map(stages.map(stage => [stage.id, []]));
  const outputsOf = new Map();
  for (const stage of stages) {
    const readers = stages.filter(({ inputs = [] }) => inputs.includes(stage.id));
    const outputs = readers.map(reader => {
      const made = connect(stage, reader.id, reader.lanes);
      inputsOf.get(reader.id).push(made);
      return made;
    });
    if (readers.length === 0 && consumer !== undefined) {
      const made = connect(stage, 'consumer', 1);
      inputsOf.set('consumer', [made]);
      outputs.push(made);
    }
    outputsOf.set(stage.id, outputs);
  }
  const supply = { left: elements };
  for (const stage of stages) {
    for (let lane = 0; lane < stage.lanes; lane++) {
      const totals = newTotals(stage);
      const io = { inputs: inputsOf.get(stage.id), outputs: outputsOf.get(stage.id), lane, supply, random, state };
      for (const output of io.outputs) for (const channel of output) channel.open();
      const worker = kernel.spawn(`${stage.id}#${lane}`, laneProgram(stage, io, totals));
      workers.push({ stage, worker, totals });
    }
  }
  if (consumer !== undefined) {
    const totals = newTotals({ operators: [{ id: 'consumer' }] });
    const [input] = inputsOf.get('consumer');
    const worker = kernel.spawn('consumer', consumerProgram(consumer, input[0], totals, random));
    workers.push({ stage: { id: 'consumer', operators: [{ id: 'consumer', out: 0 }] }, worker, totals });
  }
  kernel.crowd(others);

  const run = library.createRun(folder, facts(name, graph, hostOf(graph, cores, host)));
  const recorder = new Recorder(run.folder, workers, channels, kernel, library);
  recorder.sample();
  for (let moment = sampleSeconds; !state.stopped; moment += sampleSeconds) {
    const limit = Math.min(moment, seconds);
    kernel.run(limit);
    if (workers.every(({ worker }) => worker.ended) || limit >= seconds) state.stopped = true;
    recorder.sample();
    if (onSample !== undefined) {
      recorder.flush();
      onSample(kernel.now, run.folder);
    }
  }
  recorder.close();
  const ended = workers.every(({ worker }) => worker.ended);
  const monotonic = String(START + Math.round(kernel.now * 1e9));
  run.finish({ status: ended ? 'completed' : 'stopped', endedAt: '2026-01-01T00:00:00.000Z', monotonic, warnings: [] });
  const root = workers.filter(({ stage }) => stage.id === (description.root ?? stages.at(-1).id));
  const out = root.reduce((sum, { totals }) => sum + totals.out.at(-1), 0);
  const busy = kernel.lanes.reduce((sum, { times }) => sum + times.running, 0) + kernel.outside;
  return { folder: run.folder, seconds: kernel.now, elements: out, rate: out / kernel.now, cpuSeconds: busy };
}

function newTotals({ operators }) {
  const column = () => operators.map(() => 0);
  return {
    in: column(),
    out: column(),
    bytes: column(),
    timed: column(),
    time: column(),
    squares: column(),
    chunks: 0,
    overhead: 0,
    asked: 0,
    done: 0,
  };
}

const figure = (value, random) => (typeof value === 'function' ? value(random) : (value ?? 0));

function* laneProgram(stage, io, totals) {
  const { inputs, outputs, lane, supply, random, state } = io;
  const carried = stage.operators.map(() => 0);
  for (;;) {
    if (state.stopped) break;
    if (inputs.length === 0) {
      if (supply.left <= 0) break;
      supply.left--;
    } else if (stage.join === 'zip') {
      let closed = false;
      for (const input of inputs) if ((yield get(input[lane % input.length])) === CLOSED) closed = true;
      if (closed) break;
    } else {
      const input = inputs[totals.chunks % inputs.length];
      if ((yield get(input[lane % input.length])) === CLOSED) break;
    }
    const before = inputs.length === 0 ? 0 : 1;
    if (stage.read !== undefined) {
      const bytes = figure(stage.read, random);
      totals.asked += bytes;
      yield read(bytes, 0.5 + random.uniform());
    }
    if (stage.sleep !== undefined) yield sleep(figure(stage.sleep, random));
    if (stage.offload !== undefined) yield offload(figure(stage.offload.seconds, random), stage.offload.threads);
    // The operators' work on this element, one after the other; what is held back for a batch waits in `carried`.
    let count = 1;
    let seconds = figure(stage.overhead, random);
    totals.overhead += seconds;
    for (const [at, operator] of stage.operators.entries()) {
      const isSource = at === 0 && before === 0;
      if (!isSource) totals.in[at] += count;
      let spent = 0;
      for (let each = 0; each < count; each++) {
        const one = figure(operator.cpu, random) * (stage.lanesSlow?.[lane] ?? 1);
        spent += one;
        totals.timed[at]++;
        totals.time[at] += one * 1e9;
        totals.squares[at] += (one * 1e6) ** 2;
      }
      seconds += spent;
      carried[at] += count * (operator.out ?? 1);
      const hold = operator.hold !== undefined && totals.in[at] <= operator.hold;
      count = hold ? 0 : Math.floor(carried[at] + 1e-9);
      carried[at] -= count;
      totals.out[at] += count;
      for (let each = 0; each < count; each++) totals.bytes[at] += figure(operator.bytes, random);
      if (count === 0) break;
    }
    yield cpu(seconds);
    totals.chunks++;
    for (let each = 0; each < count; each++) {
      for (const output of outputs) {
        const to = output.length === 1 ? 0 : keyOf(stage, output.length, random);
        yield put(output[to], 1);
      }
    }
  }
  for (const output of outputs) for (const channel of output) channel.close();
}

/** The lane an element goes to: the first one gets `keyed` of them. */
const keyOf = ({ keyed }, lanes, random) =>
  random.uniform() < keyed ? 0 : 1 + Math.floor(random.uniform() * (lanes - 1));

function* consumerProgram({ step, asleep = true }, input, totals, random) {
  while ((yield get(input)) !== CLOSED) {
    totals.in[0]++;
    totals.chunks++;
    const seconds = figure(step, random);
    yield asleep ? sleep(seconds) : cpu(seconds);
  }
}

class Recorder {
  #workers;
  #channels;
  #kernel;
  #lanes;
  #host;
  #metrics;
  #window = 0;

  constructor(folder, workers, channels, kernel, { openLane, METRICS }) {
    this.#metrics = METRICS;
    this.#workers = workers;
    this.#channels = channels;
    this.#kernel = kernel;
    const open = (name, tid) => openLane(folder, { name, pid: 1, tid, opened: BigInt(START) });
    this.#lanes = workers.map(({ worker }, at) => open(worker.name, at + 1));
    this.#host = open('host', 0);
  }

  sample() {
    this.#window++;
    const now = START + this.#kernel.now * 1e9;
    const write = (lane, key, figures) => {
      const number = key === undefined ? 0 : lane.subjectNumber(key);
      for (const [metric, value] of Object.entries(figures)) {
        lane.counter(number, this.#metrics[metric].code, Math.round(now), Math.round(value), this.#window);
      }
    };
    for (const [at, { stage, worker, totals }] of this.#workers.entries()) {
      const lane = this.#lanes[at];
      const ns = Object.fromEntries(Object.entries(worker.times).map(([state, seconds]) => [state, seconds * 1e9]));
      write(lane, undefined, {
        ...ns,
        overhead: totals.overhead * 1e9,
        storageAsked: totals.asked,
        storageRead: totals.asked,
      });
      write(lane, `stage:${stage.id}`, { cpu: ns.running, chunks: totals.chunks, bytesOut: totals.bytes.at(-1) });
      for (const [index, { id }] of stage.operators.entries()) {
        write(lane, `operator:${id}`, {
          elementsIn: totals.in[index],
          elementsOut: totals.out[index],
          bytesOut: totals.bytes[index],
          sampledElements: totals.timed[index],
          sampledTime: totals.time[index],
          sampledSquares: totals.squares[index],
        });
      }
    }
    const lanes = this.#workers.reduce((sum, { worker }) => sum + worker.times.running, 0);
    const processCpu = (lanes + this.#kernel.outside) * 1e6;
    write(this.#host, 'process', { processCpu });
    write(this.#host, 'host', { hostCpuBusy: processCpu + this.#kernel.others * 1e6 });
    for (const { id, parts } of this.#channels) {
      const readings = parts.map(part => part.reading());
      const mean = key => readings.reduce((sum, reading) => sum + reading[key], 0) / readings.length;
      write(this.#host, `channel:${id}`, {
        occupancy: mean('occupancy') * 1e9,
        saturated: mean('saturated') * 1e9,
        chunksQueued: mean('queued'),
      });
    }
  }

  flush() {
    for (const lane of [...this.#lanes, this.#host]) lane.flush();
  }

  close() {
    const moment = START + this.#kernel.now * 1e9;
    for (const lane of [...this.#lanes, this.#host]) lane.close(Math.round(moment));
  }
}

function graphOf({ stages, consumer }) {
  const lastOf = id => stages.find(stage => stage.id === id).operators.at(-1).id;
  return {
    operators: stages.flatMap(({ inputs = [], operators, lanes, join }) =>
      operators.map((operator, at) => ({
        id: operator.id,
        kind: operator.kind ?? 'map',
        label: operator.id,
        inputs: at > 0 ? [operators[at - 1].id] : inputs.map(lastOf),
        settings: operator.settings ?? {},
        ...traitsOf(operator, at > 0 ? 1 : inputs.length, join),
        ...(operator.sequential ? {} : { parallelism: lanes }),
      })),
    ),
    channels: stages.flatMap(stage => {
      const readers = stages.filter(({ inputs = [] }) => inputs.includes(stage.id));
      const ends = readers.length > 0 ? readers.map(({ id, operators }) => [id, operators[0].id]) : [];
      if (readers.length === 0 && consumer !== undefined) ends.push(['consumer', 'consumer']);
      return ends.map(([to, operator]) => ({
        id: `${stage.id} → ${to}`,
        from: stage.operators.at(-1).id,
        to: operator,
        slots: stage.slots ?? 4,
        capacity: 1e6,
      }));
    }),
    stages: stages.map(({ id, operators, lanes }) => ({
      id,
      operators: operators.map(each => each.id),
      parallelism: lanes,
    })),
    fingerprint: 'virtual',
  };
}

/** Traits of an operator with so many inputs, by what it does in virtual time. */
function traitsOf({ kind = 'map', sequential = false, settings = {}, out = 1, hold }, inputs, join) {
  const isOrigin = inputs !== 1 || kind === 'cache';
  const isZip = inputs > 1 && join === 'zip';
  return {
    elements: out < 1 || isZip ? 'fewer' : out > 1 ? 'any' : 'same',
    sequential,
    keepsOrder: hold === undefined,
    keepsValues: inputs === 0 || hold !== undefined || kind === 'cache',
    // Batches and shuffles only move references.
    work: out < 1 || hold !== undefined ? 'moving' : 'own',
    ...(isOrigin && { origin: true }),
    ...((isOrigin || sequential) && { stateful: true }),
    ...(inputs > 1 && { joins: isZip ? 'shortest' : 'all' }),
    ...(kind === 'map' && { callsFunction: true }),
    ...(kind === 'cache' && { cache: { in: 'memory', limit: settings.limit } }),
    ...(hold !== undefined && {
      random: true,
      blocking: true,
      parameters: { buffer: { setting: 'buffer', least: 1 } },
    }),
    ...(settings.count !== undefined && { total: settings.count }),
    ...(!sequential && { partitioning: 'any', parameters: { parallelism: { setting: 'parallelism', least: 1 } } }),
  };
}

function hostOf(graph, cores, host) {
  const lanes = graph.stages.reduce((sum, { parallelism }) => sum + parallelism, 0);
  const usable = Number.isFinite(cores) ? cores : lanes;
  return { coresPresent: Math.max(1, Math.ceil(usable)), coresUsable: usable, ...host };
}
