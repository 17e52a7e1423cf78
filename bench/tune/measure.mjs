/** Rates of a pipeline under sets of changes, each measured in a process of its own. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inProcess } from '../harness.mjs';

const RUN = fileURLToPath(new URL('./run.mjs', import.meta.url));
const TUNED = fileURLToPath(new URL('./tuned.mjs', import.meta.url));

export class Measured {
  #rates = new Map();

  /** `cores`: all of the machine's unless given. */
  constructor(example, { seconds, folder, cores }) {
    this.example = example;
    this.seconds = seconds;
    this.folder = folder;
    this.cores = cores;
  }

  /** Makes the data, and learns the graph and how many elements an epoch has. */
  async prepare() {
    const { perEpoch, graph } = await this.#run({});
    this.perEpoch = perEpoch;
    this.graph = graph;
    return this;
  }

  /** One run: `{ rate, first, cpu }` in elements per second and CPU seconds per element. */
  async once(actions) {
    return this.#run({ actions, seconds: this.seconds, warm: Math.min(1, this.seconds / 2) });
  }

  /** The rate of the first time it was asked for; undefined where these changes cannot be made. */
  async rate(actions) {
    const key = JSON.stringify(actions);
    if (!this.#rates.has(key)) this.#rates.set(key, await this.once(actions).then(({ rate }) => rate, ifUnsound));
    return this.#rates.get(key);
  }

  /** Records a longer run and gives the recording's folder. */
  async record(actions, name) {
    const record = join(this.folder, `${this.example.name}-${name}.venturi`);
    await this.#run({ actions, seconds: 2 * this.seconds, warm: 1, record });
    return record;
  }

  /** Lets the tuner work on it: `{ actions, tried, before, bound }`. */
  async tune(options = {}) {
    const { file: pipeline, params, root } = this.example;
    const seconds = Math.max(3, 2 * this.seconds);
    return this.#child(TUNED, { pipeline, params, root, seconds, epochs: 100, ...options });
  }

  #run(request) {
    const { file, params, root } = this.example;
    return this.#child(RUN, { file, params, root, perEpoch: this.perEpoch, ...request });
  }

  #child(script, request) {
    const bound = this.cores === undefined ? [] : ['taskset', '-c', `0-${this.cores - 1}`];
    const [program, ...args] = [...bound, process.execPath, script, JSON.stringify(request)];
    return inProcess(program, args);
  }
}

function ifUnsound(error) {
  if (/VENTURI_PLAN_UNSOUND/.test(error.message)) return undefined;
  throw error;
}
