import { readRegularText } from '../../../files/regular-file.ts';
import { writeFileAtomically } from '../../../io/storage/write-file.ts';
import { VenturiError } from '../../../model/errors.ts';
import type { Checkpoint } from '../../contract/checkpoint.ts';
import { checked, damaged } from './checkpoint-record.ts';

/** Puts a checkpoint into a file, as JSON. Whatever happens meanwhile, the file holds this one or the one before. */
export const writeCheckpoint = (path: string, checkpoint: Checkpoint): void =>
  writeFileAtomically(path, `${JSON.stringify(checkpoint)}\n`);

/** What operators keep is in it, at most as much as one string can hold. */
const MOST_BYTES = 511 * 2 ** 20;

/** A checkpoint from a file, whole and unchanged, or an error that says what is wrong with it. */
export function readCheckpoint(path: string): Checkpoint {
  let text: string;
  try {
    text = readRegularText(path, MOST_BYTES);
  } catch (cause) {
    throw new VenturiError('VENTURI_CHECKPOINT_UNREADABLE', `cannot read ${path}: ${(cause as Error).message}`, {
      cause,
      remedy: 'check the path; without a checkpoint a run starts from the beginning',
    });
  }
  try {
    return checked(JSON.parse(text));
  } catch (cause) {
    throw cause instanceof SyntaxError ? damaged(path, 'it is no JSON, or broken off', cause) : cause;
  }
}
