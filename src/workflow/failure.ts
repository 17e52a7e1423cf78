import { describeThrown } from '../errors/thrown.ts';
import { VenturiError } from '../model/errors.ts';

/** A failure as a run's final mark keeps it. What is not one of ours is a bug. */
export const failureOf = (error: unknown): { code: string; message: string } =>
  error instanceof VenturiError
    ? { code: error.code, message: error.message }
    : { code: 'VENTURI_BUG', message: describeThrown(error) };
