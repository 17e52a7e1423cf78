/** Deaths in a row, without a chunk finished between them, after which it is no accident. */
const MOST_IN_A_ROW = 3;

/** Tells a worker that died by accident from one that will always die at the same place. */
export class Deaths {
  readonly #lanes = new Map<string, { readonly chunks: number; readonly row: number }>();

  /** `chunks`: how many the lane has finished so far. */
  forgivable(lane: string, chunks: number): boolean {
    const last = this.#lanes.get(lane);
    const row = last?.chunks === chunks ? last.row + 1 : 1;
    this.#lanes.set(lane, { chunks, row });
    return row < MOST_IN_A_ROW;
  }
}
