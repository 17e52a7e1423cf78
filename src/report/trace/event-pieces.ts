import type { TraceEvent } from './trace-event.ts';

/** Events that are encoded together. */
const PIECE = 4096;

/** Events in pieces of some thousands. */
export function* eventPieces(events: Iterable<TraceEvent>): Generator<TraceEvent[], void, undefined> {
  let piece: TraceEvent[] = [];
  for (const event of events) {
    piece.push(event);
    if (piece.length < PIECE) continue;
    yield piece;
    piece = [];
  }
  yield piece;
}
