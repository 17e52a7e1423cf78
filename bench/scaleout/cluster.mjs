/** The cluster of test/cluster as a process that answers requests: its links are measured, jobs are trained. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('../../test/cluster', import.meta.url));
/** Exit status that says that there can be no cluster on this machine. */
const REFUSED = 3;
/** The two best measurements of a link are to differ by this part at most, after so many at most. */
const LINK_PRECISION = 0.002;
const LINK_MEASUREMENTS = 12;

export class Cluster {
  #waiting = [];
  #said = '';
  #failure;

  /** `python` has the runtime that is to be trained with. */
  constructor(python, env = process.env) {
    this.child = spawn(python, [PROGRAM], { stdio: ['pipe', 'pipe', 'pipe'], env });
    this.child.stderr.setEncoding('utf8').on('data', text => {
      this.#said = (this.#said + text).slice(-4000);
    });
    createInterface({ input: this.child.stdout }).on('line', line => this.#waiting.shift()?.resolve(JSON.parse(line)));
    // Writing to a process that is gone: its end is told below.
    this.child.stdin.on('error', () => undefined);
    this.ended = new Promise(resolve => {
      this.child.on('error', error => this.#fail(error.message, resolve));
      this.child.on('close', code => {
        const last = this.#said.trimEnd().split('\n').at(-1);
        this.#fail(code === REFUSED ? last : `the cluster ended with ${code}: ${this.#said}`, resolve);
      });
    });
  }

  #fail(message, resolve) {
    this.#failure ??= new Error(message);
    for (const { reject } of this.#waiting.splice(0)) reject(this.#failure);
    resolve();
  }

  /** The answer to one request, see test/cluster/__main__.py. */
  async request(request) {
    if (this.#failure !== undefined) throw this.#failure;
    const answer = await new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      this.child.stdin.write(`${JSON.stringify(request)}\n`);
    });
    if (answer.error !== undefined) throw new Error(answer.error, { cause: answer.trace });
    return answer;
  }

  /**
   * Payload that a link carries, in bit/s, in the direction that carries less. A disturbance of the machine can only take from what a token bucket lets through: the most of several
   * measurements counts, once another came to as much; where none does, nothing is known.
   */
  async bandwidth(bitsPerSecond) {
    const toServer = [];
    const fromServer = [];
    while (toServer.length < LINK_MEASUREMENTS && !(isConfirmed(toServer) && isConfirmed(fromServer))) {
      const { to_server, from_server } = await this.request({ link: bitsPerSecond });
      toServer.push(to_server);
      fromServer.push(from_server);
    }
    if (!isConfirmed(toServer) || !isConfirmed(fromServer)) {
      throw new Error(
        `no two of ${LINK_MEASUREMENTS} measurements of a link of ${bitsPerSecond} bit/s came to the same: the machine does something else, run this again when it does not`,
      );
    }
    return Math.min(Math.max(...toServer), Math.max(...fromServer));
  }

  train(job) {
    return this.request({ train: job });
  }

  /** Starts the processes that a job needs, where they are not there yet. */
  prepare(job) {
    return this.request({ prepare: job });
  }

  async close() {
    this.child.stdin.end();
    await this.ended;
  }
}

function isConfirmed(measurements) {
  const [most, second = 0] = measurements.toSorted((a, b) => b - a);
  return second > most * (1 - LINK_PRECISION);
}
