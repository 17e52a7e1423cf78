/** A sample as other programs take it: when, and the names of its frames from the outermost in. */
export interface StackSample {
  /** ns since the start of the run. */
  readonly time: number;
  /** Pipeline, operator, task, line; as many of them as are known. */
  readonly stack: readonly string[];
}

/** The samples of one lane in the order of time. */
export interface LaneStacks {
  readonly lane: string;
  readonly samples: readonly StackSample[];
}

export interface ProfileStacks {
  readonly name: string;
  /** Mean ns from one sample of a lane to the next. */
  readonly nsPerSample: number;
  readonly lanes: readonly LaneStacks[];
}

/** Numbers for names, in the order in which they come. */
export class Names {
  readonly list: string[] = [];
  readonly #numbers = new Map<string, number>();

  of(name: string): number {
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    this.#numbers.set(name, this.list.length);
    return this.list.push(name) - 1;
  }
}
