import { appendText } from '../../../files/appended-file.ts';
import { VenturiError } from '../../../model/errors.ts';

/** Writes down what was given up, a JSON object a line. */
export function appendLetter(path: string, letter: object): void {
  try {
    appendText(path, `${JSON.stringify(letter)}\n`);
  } catch (cause) {
    throw new VenturiError('VENTURI_RUN_UNWRITABLE', `cannot write to ${path}: ${(cause as Error).message}`, {
      cause,
      remedy: 'make room or give another file; an element that is given up must not be lost sight of',
    });
  }
}
