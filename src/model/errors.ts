/**
 * Expected failures. Each has a code that never changes meaning, a message that says what happened,
 * and a remedy that says what to do next. A bug is not one of these: it is a plain Error or an assert.
 */
export const ERROR_CODES = [
  // The user's pipeline file
  'VENTURI_PIPELINE_NOT_FOUND',
  'VENTURI_PIPELINE_SYNTAX',
  'VENTURI_PIPELINE_IMPORT',
  'VENTURI_NO_DEFAULT_EXPORT',
  'VENTURI_NOT_A_PIPELINE',
  'VENTURI_BAD_PARAMETER',
  'VENTURI_BAD_OPTION',
  'VENTURI_DUPLICATE_NAME',
  'VENTURI_UNKNOWN_OPERATOR',
  'VENTURI_GRAPH_DIFFERS',
  'VENTURI_RUN_IN_WORKER',
  // A run of the engine
  'VENTURI_USER_FUNCTION',
  'VENTURI_PROMISE_RETURNED',
  'VENTURI_NOT_CLONEABLE',
  'VENTURI_SOURCE_UNREADABLE',
  'VENTURI_BAD_RECORD',
  'VENTURI_FILE_UNWRITABLE',
  'VENTURI_BUDGET_TOO_SMALL',
  'VENTURI_WORKER_DIED',
  'VENTURI_UNKNOWN_COLUMN',
  'VENTURI_TYPE_MISMATCH',
  'VENTURI_DIVISION_BY_ZERO',
  'VENTURI_UNCAUGHT',
  'VENTURI_INTERRUPTED',
  'VENTURI_CODEC_MISSING',
  // A cache in a pipeline
  'VENTURI_CACHE_FULL',
  'VENTURI_CACHE_UNKEYED',
  'VENTURI_CACHE_UNUSABLE',
  'VENTURI_CACHE_DAMAGED',
  // A plan
  'VENTURI_PLAN_UNREADABLE',
  'VENTURI_PLAN_OTHER_PIPELINE',
  'VENTURI_PLAN_UNSOUND',
  'VENTURI_PLAN_REFUSED',
  'VENTURI_SIDE_EFFECTS',
  // A run that is resumed
  'VENTURI_CHECKPOINT_UNREADABLE',
  'VENTURI_CHECKPOINT_TOO_NEW',
  'VENTURI_CHECKPOINT_DIFFERS',
  'VENTURI_CHECKPOINT_STALE',
  // A program that is recorded
  'VENTURI_PROGRAM_NOT_FOUND',
  'VENTURI_PROGRAM_FAILED',
  'VENTURI_ATTACH_REFUSED',
  'VENTURI_PERF_UNAVAILABLE',
  'VENTURI_SAMPLES_UNREADABLE',
  'VENTURI_PROFILE_UNAVAILABLE',
  // A run on disk
  'VENTURI_RUN_NOT_FOUND',
  'VENTURI_RUN_EXISTS',
  'VENTURI_RUN_UNREADABLE',
  'VENTURI_RUN_UNWRITABLE',
  'VENTURI_RUN_TOO_NEW',
  'VENTURI_RUN_EMPTY',
  'VENTURI_RUN_TOO_SHORT',
  'VENTURI_GRAPH_TOO_LARGE',
  // A trace of training steps
  'VENTURI_STEPS_UNREADABLE',
  'VENTURI_STEPS_NONE',
  'VENTURI_STEPS_CYCLIC',
  // The page
  'VENTURI_PAGE_MISSING',
  // The command line
  'VENTURI_USAGE',
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

export interface ErrorDetail {
  /** What the user can do about it, as a sentence. */
  readonly remedy?: string | undefined;
  readonly cause?: unknown;
}

export class VenturiError extends Error {
  override readonly name = 'VenturiError';
  readonly code: ErrorCode;
  readonly remedy: string | undefined;

  constructor(code: ErrorCode, message: string, detail: ErrorDetail = {}) {
    super(message, detail.cause === undefined ? undefined : { cause: detail.cause });
    this.code = code;
    this.remedy = detail.remedy;
  }
}

/** It was asked to stop. */
export const isInterruption = (error: unknown): boolean =>
  error instanceof VenturiError && error.code === 'VENTURI_INTERRUPTED';
