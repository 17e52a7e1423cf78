import { VenturiError } from '../../model/errors.ts';

/** A part of an element that Python could not be given. */
export class Unpackable extends Error {
  /** Where in the element it is, as one would write it. */
  path = '';

  below(step: string): this {
    this.path = step + this.path;
    return this;
  }
}

/** The error that the author of the pipeline is shown for it. */
export function refused(error: unknown): unknown {
  if (error instanceof RangeError) return refusal('it is nested too deeply to be handed to Python');
  if (!(error instanceof Unpackable)) return error;
  const { path, message } = error;
  return refusal(`${path === '' ? 'it' : `its ${path}`} is ${message}, which cannot be handed to Python`);
}

const refusal = (message: string): VenturiError =>
  new VenturiError('VENTURI_NOT_CLONEABLE', message, {
    remedy: 'make typed arrays, plain objects, arrays, texts and numbers of it in a map at the end of the pipeline',
  });
