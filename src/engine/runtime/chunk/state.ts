import { ClonedReader, ClonedWriter } from './cloned.ts';
import { Describer, Restorer } from './description.ts';
import { isFaithful } from './faithful.ts';
import { Look } from './look.ts';

/** What an operator keeps as bytes: as an element would be, but alone. Throws where it holds what cannot be made again. */
export function writeState(state: unknown): Uint8Array {
  const writer = new ClonedWriter();
  const isAsItIs = isFaithful([state], new Look());
  writer.writeValue(isAsItIs);
  writer.writeValue(isAsItIs ? state : new Describer().describe(state));
  return writer.releaseBuffer();
}

export function readState(bytes: Uint8Array): unknown {
  const reader = new ClonedReader(bytes, false);
  const isAsItIs = reader.readValue() as boolean;
  const state: unknown = reader.readValue();
  return isAsItIs ? state : new Restorer().restore(state);
}
