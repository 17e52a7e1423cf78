import { SAME, WORTHWHILE } from '../prediction/thresholds.ts';

/** What calls of an async function came to, so many of them at once in each lane. */
export interface CallTrial {
  readonly concurrency: number;
  /** Elements per second that left the pipeline. */
  readonly rate: number;
  /** Seconds a call took in the mean; NaN where nobody counted. */
  readonly callTime: number;
  /** Calls under way in the mean, all lanes together; NaN where nobody counted. */
  readonly underWay: number;
  /** Part of the calls that failed or were given up. */
  readonly failed: number;
}

/** Why the search for more calls at once ended. */
export type SearchEnd =
  /** Calls get slower as there are more of them. */
  | 'saturated'
  /** More of them fail, or the pipeline does. */
  | 'refused'
  /** Neither, and yet there is no more to gain: something else is narrow now. */
  | 'no-more'
  /** As many as are tried. */
  | 'most'
  /** It goes on. */
  | undefined;

/**
 * Looks for as many calls at once as help: twice as many in each step, while that brings more, and back where calls get slower in
 * proportion or fail. What a service does with more calls nobody can reckon, so each step is a trial.
 */
export class CallSearch {
  readonly #most: number;
  readonly #trials: CallTrial[];
  #end: SearchEnd;

  constructor(asItIs: CallTrial, most: number) {
    this.#trials = [asItIs];
    this.#most = most;
    if (asItIs.concurrency >= most) this.#end = 'most';
  }

  get trials(): readonly CallTrial[] {
    return this.#trials;
  }

  get end(): SearchEnd {
    return this.#end;
  }

  /** Calls at once to try next; undefined where the search is over. */
  get next(): number | undefined {
    return this.#end === undefined ? Math.min(this.#most, 2 * this.#last.concurrency) : undefined;
  }

  get #last(): CallTrial {
    const last = this.#trials.at(-1);
    if (last === undefined) throw new Error('there is always the pipeline as it is');
    return last;
  }

  add(trial: CallTrial): void {
    const before = this.#last;
    this.#trials.push(trial);
    if (this.#isRefused(trial)) this.#end = 'refused';
    else if (trial.rate < (1 + WORTHWHILE) * before.rate) this.#end = isSlower(trial, before) ? 'saturated' : 'no-more';
    else if (trial.concurrency >= this.#most) this.#end = 'most';
  }

  /** The pipeline failed with as many. */
  fail(): void {
    this.#end = 'refused';
  }

  #isRefused({ failed }: CallTrial): boolean {
    return failed > (this.#trials[0]?.failed ?? 0) + SAME;
  }

  /** The fewest calls at once that come close to the best, of those that were not refused. */
  get best(): CallTrial {
    const answered = this.#trials.filter(trial => !this.#isRefused(trial));
    const most = Math.max(...answered.map(({ rate }) => rate));
    return answered.find(({ rate }) => (1 + WORTHWHILE) * rate >= most) ?? this.#last;
  }
}

/**
 * What answers calls is saturated where more of them at once take longer in proportion (Little's law: calls = rate x time), and not where
 * they take as long as before. A measurement lies between: by the geometric mean of the two it is told which is nearer.
 */
const isSlower = (trial: CallTrial, before: CallTrial): boolean =>
  trial.callTime > before.callTime * Math.sqrt(trial.concurrency / before.concurrency);
