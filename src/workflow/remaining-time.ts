/** Before this much time and this much of the work, nothing can be said of the rest. */
const LEAST_SECONDS = 2;
const LEAST_DONE = 1e-3;
/** What was long ago counts less: after this time, or this part of the time so far, by a factor of e. */
const LEAST_MEMORY_SECONDS = 3;
const MEMORY = 1 / 4;
/** If it goes on as slowly as of late it takes this many times as long as by the pace so far: then it stands still. */
const STANDING = 10;

/**
 * How long work that tells its share still takes, by the pace of late: what a cache gives goes faster than what fills it, and a
 * run that was resumed has not done itself what was there when it began.
 */
export class RemainingTime {
  readonly #limit: number | undefined;
  #began: { readonly seconds: number; readonly done: number } | undefined;
  #seconds = 0;
  #done = 0;
  /** Sums in which what is older counts less; their ratio is the pace. */
  #recentSeconds = 0;
  #recentDone = 0;

  /** `limit`: seconds after which it is stopped. */
  constructor(limit?: number) {
    this.#limit = limit;
  }

  /** Undefined where it cannot be told: nothing has come of it yet, the share is unknown, or all is read and only the end is to come. */
  after(seconds: number, done: number | undefined): number | undefined {
    const left = this.#byPace(seconds, done);
    if (this.#limit === undefined) return left;
    return Math.min(left ?? Number.POSITIVE_INFINITY, Math.max(0, this.#limit - seconds));
  }

  #byPace(seconds: number, done: number | undefined): number | undefined {
    if (done === undefined) return undefined;
    if (this.#began === undefined) {
      this.#began = { seconds, done };
      this.#seconds = seconds;
      this.#done = done;
      return undefined;
    }
    this.#add(seconds - this.#seconds, done - this.#done, seconds - this.#began.seconds);
    this.#seconds = seconds;
    this.#done = done;
    const elapsed = seconds - this.#began.seconds;
    const made = done - this.#began.done;
    if (elapsed < LEAST_SECONDS || made < LEAST_DONE || done >= 1 || this.#recentDone <= 0) return undefined;
    const left = ((1 - done) * this.#recentSeconds) / this.#recentDone;
    return left > (STANDING * (1 - done) * elapsed) / made ? undefined : left;
  }

  #add(seconds: number, done: number, elapsed: number): void {
    if (!(seconds > 0)) return;
    const kept = Math.exp(-seconds / Math.max(LEAST_MEMORY_SECONDS, elapsed * MEMORY));
    this.#recentSeconds = this.#recentSeconds * kept + seconds;
    // A source that finds more to read than it knew of steps back.
    this.#recentDone = Math.max(0, this.#recentDone * kept + done);
  }
}
