/**
 * The recorder's own probe with a watch on every call, where it happens: between pieces of the pipeline's work, when the caches
 * hold that. Also takes the time of what the engine does for one sample. Each lane leaves its figures in a file.
 */
import { randomUUID } from 'node:crypto';
import { closeSync, openSync, readSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { median } from '../harness.mjs';

/** The recorder writes a lane's counters this often, with the first chunk that ends after it. */
const WINDOW_NS = 250e6;

/** CPU time of the thread that opens it, by the kernel's account of it. */
export class ThreadCpu {
  #file = openSync('/proc/thread-self/schedstat');
  #text = Buffer.alloc(64);

  read() {
    // Brings the account up to date, which otherwise moves only with the scheduler's tick.
    process.cpuUsage();
    const length = readSync(this.#file, this.#text, 0, 64, 0);
    return Number.parseInt(this.#text.latin1Slice(0, length), 10);
  }

  close() {
    closeSync(this.#file);
  }
}

/**
 * Counts calls and adds up their CPU time, less that of a reading of the clock right behind them. It is read twice before, because the first
 * reading finds its own code gone from the caches, and that is the watch's cost and not the recorder's.
 */
export class Watch {
  count = 0;
  #total = 0;
  #clock;

  constructor(clock) {
    this.#clock = clock;
  }

  call(work) {
    this.#clock.read();
    const before = this.#clock.read();
    const result = work();
    const after = this.#clock.read();
    this.#total += after - before - (this.#clock.read() - after);
    this.count++;
    return result;
  }

  get figures() {
    return { count: this.count, ns: this.count === 0 ? 0 : Math.max(0, this.#total / this.count) };
  }
}

export async function openLaneProbe({ module, options, figures }, lane, totals, graph) {
  const recorder = await import(module);
  const probe = await recorder.openLaneProbe(options, lane, totals, graph);
  const clock = new ThreadCpu();
  const [chunk, window, tick, cpu] = Array.from({ length: 4 }, () => new Watch(clock));
  let windowEnd = WINDOW_NS;
  const samples = [];
  const sums = new Float64Array(3);
  return {
    cpu: () => cpu.call(() => probe.cpu()),
    // The consumer ticks in a timer of the main thread, which has a watch of its own.
    tick: lane.name === 'consumer' ? () => probe.tick() : () => tick.call(() => probe.tick()),
    end(...facts) {
      const [, , end] = facts;
      const due = end >= windowEnd;
      if (due) windowEnd = end + WINDOW_NS;
      (due ? window : chunk).call(() => probe.end(...facts));
      samples.push(sampleNs(sums));
    },
    close() {
      clock.close();
      const sample = { count: sampledIn(lane, totals, graph), ns: samples.length === 0 ? 0 : median(samples) };
      const facts = { chunk: chunk.figures, window: window.figures, tick: tick.figures, cpu: cpu.figures, sample };
      writeFileSync(join(figures, `${randomUUID()}.json`), JSON.stringify(facts));
      return probe.close();
    },
  };
}

/** Samples taken in the lane's loop. What a source reads is charged to it as a whole, and not by samples. */
function sampledIn(lane, totals, graph) {
  const isSource = id => graph.operators.find(operator => operator.id === id)?.inputs.length === 0;
  return lane.operators.reduce((sum, id, at) => sum + (isSource(id) ? 0 : totals.sampledElements[at]), 0);
}

/** What the engine's loop does per operator of an element that is sampled; the first two readings are the watch. */
function sampleNs(sums) {
  const began = performance.now();
  const since = performance.now();
  const time = (performance.now() - since) * 1e6;
  sums[0] += 1;
  sums[1] += time;
  sums[2] += (time / 1000) ** 2;
  return Math.max(0, (performance.now() - began - (since - began)) * 1e6);
}
