import type { Position, SentLandmark } from '../books/position.ts';
import type { Sink } from './sink.ts';

/** Thrown in a producer whose consumer is gone, to end it. */
export class Unwanted extends Error {}

/** Where a stage's output goes, as the stage runner sees it. */
export interface Output extends Sink {
  /** Items per row, where rows lie flat. 0: they do not. */
  readonly rowLength: number;
  epoch: number;
  /** ns spent outside the loop while inside it: encoding, copying, waiting. */
  readonly spent: number;
  readonly waited: number;
  /** The part of it that was spent on transport, not on a channel that is full. */
  readonly transported: number;
  readonly elements: number;
  readonly bytes: number;
  /** Typed arrays with memory of their own among them. */
  readonly arrays: number;
  /** The consumer has left passes before this one. */
  readonly skipBefore: number;
  /** Numbers the next chunk, where the stage is divided among lanes. */
  startChunk(number: number): void;
  /** Elements made of the input chunk so far. */
  readonly made: number;
  /** A piece of the input chunk is used up, and there are more. */
  endPiece(): void;
  /** The input chunk is used up. */
  endChunk(): void;
  /** What else the stage could add has to be waited for: what there is goes on if someone can take it now. True: some is left. */
  offer(): boolean;
  /** A pass ended inside the stage: a chunk holds elements of one epoch only. */
  flushEpoch(): void;
  /** The end of a pass goes no further than this stage: what its operators had held back goes out without it. */
  absorb(): void;
  /** Everything so far goes out, then the mark. */
  mark(mark: 'epochEnd' | 'end'): void;
  /**
   * Everything so far goes out, then word of where an operator stood: one upstream, as it came, or one of this stage, which adds what it
   * has sent.
   */
  landmark(position: Position | SentLandmark): void;
  /** Elements that are missing to a whole number of batches, where lanes downstream make those of each chunk by itself: no landmark fits before. */
  readonly missing: number;
}
