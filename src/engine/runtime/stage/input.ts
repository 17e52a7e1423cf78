import type { Position, SentLandmark } from '../books/position.ts';
import type { Series } from './segment.ts';

/** What a stage is given next. */
export interface Piece {
  readonly kind: 'elements' | 'epochEnd' | 'end' | 'closed' | 'landmark';
  /** Number of the chunk. */
  readonly number: number;
  readonly values: ArrayLike<unknown> | Series;
  readonly from: number;
  readonly to: number;
  readonly sequence: ArrayLike<number> | undefined;
  readonly sub: ArrayLike<number> | undefined;
  /** Number at the source of position 0 of `values`, where `sequence` is not given. */
  readonly base: number;
  readonly bytes: number;
  readonly epoch: number;
  /** Of a landmark: where upstream stood. */
  readonly landmark?: SentLandmark;
}

/** Where a stage's elements come from. */
export interface Input {
  /** Getting elements is work of the stage's first operator: it reads them, or puts them together. */
  readonly own: boolean;
  /** Elements are counted like this, not stored. */
  readonly series?: Series | undefined;
  /** The piece just received is not the last of its chunk. */
  readonly continues?: boolean;
  readonly waited: number;
  next(): Piece | Promise<Piece>;
  /** The next piece is there already. */
  ready(): boolean;
  /** Takes in what has come on ports that bring no elements. True: there was something. */
  listen?(): boolean;
  /** Smaller pieces would leave calls of async functions unused. */
  atLeast?(elements: number): void;
  /** The next piece is to have no more. */
  atMost?(elements: number): void;
  /** The piece has been worked on, for `ns` of this lane's time; `made` elements were made of its chunk so far, and are handed on. */
  used(piece: Piece, ns: number, made: number): void;
  /** Time the lane works on an element, by which the producer sizes its chunks. */
  pace?(ns: number): void;
  /** Elements of passes before this one are no longer wanted; their ends still are. */
  skipTo(epoch: number): void;
  /** No more is wanted. */
  cancel(): void | Promise<void>;
  /** What the run's user should know. */
  readonly warnings?: readonly string[];
  /** Share of the input read, where known. */
  done?(): number | undefined;
  /** Files its source has read to their end, over all passes. */
  files?(): number | undefined;
  /** Where it stands, as plain data, if it is an origin: when a run is resumed, it goes on from there. */
  save?(): unknown;
  /** What it has taken, by port. */
  taken?(): readonly Position[];
}

/** Spreading a template into every piece would cost more than all else about it. */
export const elementsPiece = (
  number: number,
  values: Piece['values'],
  from: number,
  to: number,
  base: number,
  epoch: number,
  sequence?: Piece['sequence'],
  sub?: Piece['sub'],
  bytes = 0,
): Piece => ({ kind: 'elements', number, values, from, to, sequence, sub, base, bytes, epoch });

export const markPiece = (kind: 'epochEnd' | 'end' | 'closed', number: number, epoch: number): Piece => ({
  kind,
  number,
  values: [],
  from: 0,
  to: 0,
  sequence: undefined,
  sub: undefined,
  base: 0,
  bytes: 0,
  epoch,
});

export const landmarkPiece = (number: number, landmark: SentLandmark): Piece => ({
  ...markPiece('closed', number, landmark.epoch),
  kind: 'landmark',
  landmark,
});
