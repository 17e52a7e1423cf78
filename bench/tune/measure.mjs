/** Rates of a pipeline under sets of changes, each measured in a process of its own. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { boundTo, inProcess } from '../harness.mjs';

const RUN = fileURLToPath(new URL('./run.mjs', import.meta.url));
const TUNED = fileURLToPath(new URL('./tuned.mjs', import.meta.url));

/** As `venturi run` and `venturi tune` start themselves. */
const ENVIRONMENT = { GLIBC_TUNABLES: 'glibc.malloc.mxfast=0', ...process.env };

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
  async once(actions, { seconds = this.seconds, warm = seconds / 2 } = {}) {
    return this.#run({ actions, seconds, warm });
  }

  /** The rate of the first time it was asked for; undefined where these changes cannot be made. */
  async rate(actions) {
    const key = JSON.stringify(actions);
    if (!this.#rates.has(key)) this.#rates.set(key, await this.once(actions).then(({ rate }) => rate, ifUnsound));
    return this.#rates.get(key);
  }

  /** Records a longer run and gives the recording's folder. */
  async record(actions, name, { seconds = 3 * this.seconds } = {}) {
    const record = join(this.folder, `${this.example.name}-${name}.venturi`);
    await this.#run({ actions, seconds, warm: 0, record });
    return record;
  }

  /** Lets the tuner work on it: `{ actions, tried, before, ceiling }`. */
  async tune(options = {}) {
    const { file: pipeline, params, root, epochs = 100 } = this.example;
    return this.#child(TUNED, { pipeline, params, root, epochs, seconds: 4 * this.seconds, ...options });
  }

  #run(request) {
    const { file, params, root } = this.example;
    return this.#child(RUN, { file, params, root, perEpoch: this.perEpoch, ...request });
  }

  #child(script, request) {
    const cores = this.cores === undefined ? undefined : `0-${this.cores - 1}`;
    const [program, ...args] = boundTo(cores, [process.execPath, script, JSON.stringify(request)]);
    return inProcess(program, args, ENVIRONMENT);
  }
}

function ifUnsound(error) {
  if (/VENTURI_PLAN_UNSOUND/.test(error.message)) return undefined;
  throw error;
}
