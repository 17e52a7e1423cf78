/** Pipelines on 16 cores in virtual time (bench/virtual), by the lanes of each operator. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { predict } from 'venturi';
import { recordVirtually } from '../virtual/packed.mjs';
import { logNormal } from '../virtual/random.mjs';
import { recorded } from './recorded.mjs';

export const CORES = 16;
const SECONDS = 20;

/** Operators in stages of their own, behind a source and before a batch. */
export class VirtualPipeline {
  #looked = new Map();
  #folder;
  #seconds;

  constructor(folder, seconds) {
    this.#folder = folder;
    this.#seconds = seconds;
    this.operators = Object.keys(seconds);
    this.naive = new Map(this.operators.map(id => [id, 1]));
  }

  /** What a recording with these lanes says: `{ rate, ceiling, wanted, view }`. */
  async at(lanes) {
    const key = JSON.stringify([...lanes]);
    if (!this.#looked.has(key)) this.#looked.set(key, await this.#look(lanes));
    return this.#looked.get(key);
  }

  /** The rate alone, over a shorter time. */
  rate(lanes) {
    const { path, rate } = this.#run(lanes, SECONDS / 2);
    rmSync(path, { recursive: true });
    return rate;
  }

  #run(lanes, seconds) {
    const path = join(this.#folder, 'virtual.venturi');
    const { rate } = recordVirtually(path, this.#description(lanes, seconds));
    return { path, rate };
  }

  async #look(lanes) {
    const { path } = this.#run(lanes, SECONDS);
    const { measured, ceiling } = await predict(path);
    const view = await recorded(path, { cores: CORES });
    rmSync(path, { recursive: true });
    const wanted = new Map(ceiling.lanes.flatMap(({ main, wanted: count }) => [[main, count]]));
    return {
      rate: measured.estimate,
      ceiling: ceiling.rate.estimate,
      wanted: new Map(this.operators.map(id => [id, wanted.get(id) ?? 1])),
      view: { ...view, lanes },
    };
  }

  #description(lanes, seconds) {
    const middle = this.operators.map((id, at) => ({
      id,
      lanes: lanes.get(id),
      slots: 2 * lanes.get(id) + 2,
      inputs: [at === 0 ? 'source' : this.operators[at - 1]],
      operators: [{ id, cpu: logNormal(this.#seconds[id], 0.2), bytes: 1e5 }],
    }));
    const last = this.operators.at(-1);
    return {
      seed: 1,
      cores: CORES,
      seconds,
      stages: [
        { id: 'source', lanes: 1, operators: [{ id: 'source', kind: 'range', sequential: true, cpu: 1e-4 }] },
        ...middle,
        {
          id: 'batch',
          lanes: 1,
          inputs: [last],
          operators: [{ id: 'batch', sequential: true, cpu: 5e-3, bytes: 1e6 }],
        },
      ],
      consumer: { step: 1e-4, asleep: true },
    };
  }
}
