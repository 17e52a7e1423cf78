/** Deaths in a row, without a chunk finished between them, after which it is no accident. */
const MOST_IN_A_ROW = 3;

/** Tells a lane whose worker died by accident from one whose workers will always die at the same chunk. */
export class Deaths {
  #chunks = -1;
  #row = 0;

  /** `chunks`: how many the lane has finished so far. */
  forgivable(chunks: number): boolean {
    this.#row = chunks === this.#chunks ? this.#row + 1 : 1;
    this.#chunks = chunks;
    return this.#row < MOST_IN_A_ROW;
  }
}
