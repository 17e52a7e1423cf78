import { Random } from '../../math/random.ts';
import type { Cluster } from './cluster.ts';
import type { Extent } from './simulated.ts';

/** Which profiled step each step of a worker is like, and how much slower its computation is. */
export class StepDraws {
  readonly #profiled: number;
  readonly #extent: Extent;
  readonly #cluster: Cluster;
  readonly #random = new Random();
  /** Time of computation in the step that was drawn last, over that in the profile. */
  pace = 1;

  /** `profiled`: number of profiled steps. */
  constructor(profiled: number, extent: Extent, cluster: Cluster) {
    this.#profiled = profiled;
    this.#extent = extent;
    this.#cluster = cluster;
  }

  /** Uniformly, with replacement; by worker and number of the step, so that nothing depends on the order of events. */
  draw(worker: number, number: number): number {
    const { seed, inOrder, choices } = this.#extent;
    const { straggling, speeds } = this.#cluster;
    const count = choices?.length ?? this.#profiled;
    this.#random.rekey(seed, 0, worker, number, 0);
    const drawn = inOrder === true ? number % count : this.#random.int(count);
    const slower = straggling !== undefined && this.#random.uniform() < straggling.probability ? straggling.factor : 1;
    this.pace = slower / (speeds[worker] ?? 1);
    return choices?.[drawn] ?? drawn;
  }
}
