import { groupedBy } from '../../math/groups.ts';
import { Random } from '../../math/random.ts';
import type { Cluster } from './cluster.ts';
import type { Extent } from './simulated.ts';

/** Purpose of random numbers, beside those of workers (0) and of resamples (1). */
const OF_KINDS = 2;

/** Which profiled step each step of a worker is like, and how much slower its computation is. */
export class StepDraws {
  /** Profiled steps there are to draw from. */
  readonly #choices: readonly number[];
  /** By choice: those of its kind. */
  readonly #alike: readonly (readonly number[])[];
  readonly #extent: Extent;
  readonly #cluster: Cluster;
  readonly #random = new Random();
  /** Time of computation in the step that was drawn last, over that in the profile. */
  pace = 1;

  /** `kinds`: by profiled step. */
  constructor(kinds: readonly number[], extent: Extent, cluster: Cluster) {
    const kindOf = (step: number): number => kinds[step] ?? 0;
    this.#choices = extent.choices ?? [...kinds.keys()];
    const byKind = groupedBy(this.#choices, kindOf);
    this.#alike = this.#choices.map(step => byKind.get(kindOf(step)) ?? []);
    this.#extent = extent;
    this.#cluster = cluster;
  }

  /** Uniformly, with replacement; by worker and number of the step, so that nothing depends on the order of events. */
  draw(worker: number, number: number): number {
    const { seed, inOrder } = this.#extent;
    const { straggling, speeds } = this.#cluster;
    const choices = inOrder === true ? this.#choices : this.#alikeAt(number);
    this.#random.rekey(seed, 0, worker, number, 0);
    const drawn = inOrder === true ? number % choices.length : this.#random.int(choices.length);
    const slower = straggling !== undefined && this.#random.uniform() < straggling.probability ? straggling.factor : 1;
    this.pace = slower / (speeds[worker] ?? 1);
    return choices[drawn] as number;
  }

  /** Steps with other collectives, as those with a validation, are done by all workers at a time: which, the number of the step decides. */
  #alikeAt(number: number): readonly number[] {
    const [first = []] = this.#alike;
    if (first.length === this.#choices.length) return this.#choices;
    this.#random.rekey(this.#extent.seed, OF_KINDS, 0, number, 0);
    return this.#alike[this.#random.int(this.#alike.length)] as readonly number[];
  }
}
