import { VenturiError } from '../../model/errors.ts';

/** What a source that goes on all the same could not give. */
export interface Loss {
  /** A file, or what was left of it; or a single record. */
  readonly what: 'file' | 'record';
  readonly path: string;
  readonly error: Error;
}

export type GiveUp = (loss: Loss) => void;

const LOSSES: ReadonlySet<string> = new Set<VenturiError['code']>([
  'VENTURI_SOURCE_UNREADABLE',
  'VENTURI_BAD_RECORD',
  'VENTURI_CODEC_MISSING',
]);

/** It is the data's fault. */
export const isLoss = (error: unknown): error is VenturiError =>
  error instanceof VenturiError && LOSSES.has(error.code);
