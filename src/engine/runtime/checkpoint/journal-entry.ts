import type { Position } from '../books/position.ts';

/** What an operator would need to go on from a moment of the run. */
export interface OperatorSnapshot {
  readonly id: string;
  /** What had left it. */
  readonly out: Position;
  /** What it had taken, by port. */
  readonly inputs: readonly Position[];
  /** What it kept, serialised; undefined: nothing, it was at its beginning. */
  readonly state: Uint8Array | undefined;
}

/** When `of` had left the nearest operator upstream that keeps something, and nothing more, `at` had reached this reader. */
export interface Landmark {
  /** Who reads: an operator's id, or the consumer. */
  readonly reader: string;
  readonly port: number;
  readonly of: Position;
  readonly at: Position;
}

/** What a lane tells of itself. Each entry is true for ever: positions do not depend on the run. */
export interface JournalEntry {
  readonly snapshots: readonly OperatorSnapshot[];
  readonly landmarks: readonly Landmark[];
}

/** Where an operator starts when a run is resumed. */
export interface OperatorStart {
  readonly out: Position;
  readonly inputs: readonly InputStart[];
  readonly state: Uint8Array | undefined;
}

/** An input gives `from` first, and everything before `until` has been had already. */
export interface InputStart {
  readonly from: Position;
  readonly until: Position;
}

/** A consistent set of starts: whatever an operator lacks, those before it will give again. */
export interface RecoveryLine {
  /** By the operator's id; those that are not named start at their beginning. */
  readonly operators: Readonly<Record<string, OperatorStart>>;
  readonly consumer: InputStart;
}
