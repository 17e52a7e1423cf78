import type { ErrorCode } from '../model/errors.ts';

/** Exit codes. Scripts depend on them: never change one. */
export const EXIT = {
  fine: 0,
  /** Venturi itself is at fault. */
  bug: 1,
  /** A wrong option, or an input that cannot be used. */
  usage: 2,
  unreadableRun: 3,
  /** No plan reaches the `--target`. */
  gateFailed: 4,
  /** The program or function that was run failed. */
  programFailed: 5,
  /** 128 + SIGINT */
  interrupted: 130,
  /** 128 + SIGTERM */
  terminated: 143,
} as const;

export const EXIT_OF: Readonly<Record<ErrorCode, number>> = {
  VENTURI_PIPELINE_NOT_FOUND: EXIT.usage,
  VENTURI_PIPELINE_SYNTAX: EXIT.usage,
  VENTURI_PIPELINE_IMPORT: EXIT.usage,
  VENTURI_NO_DEFAULT_EXPORT: EXIT.usage,
  VENTURI_NOT_A_PIPELINE: EXIT.usage,
  VENTURI_BAD_PARAMETER: EXIT.usage,
  VENTURI_BAD_OPTION: EXIT.usage,
  VENTURI_DUPLICATE_NAME: EXIT.usage,
  VENTURI_UNKNOWN_OPERATOR: EXIT.usage,
  VENTURI_GRAPH_DIFFERS: EXIT.usage,
  VENTURI_RUN_IN_WORKER: EXIT.usage,
  VENTURI_USER_FUNCTION: EXIT.programFailed,
  VENTURI_PROMISE_RETURNED: EXIT.programFailed,
  VENTURI_NOT_CLONEABLE: EXIT.programFailed,
  VENTURI_SOURCE_UNREADABLE: EXIT.usage,
  VENTURI_BAD_RECORD: EXIT.usage,
  VENTURI_FILE_UNWRITABLE: EXIT.usage,
  VENTURI_BUDGET_TOO_SMALL: EXIT.usage,
  VENTURI_WORKER_DIED: EXIT.programFailed,
  VENTURI_UNCAUGHT: EXIT.programFailed,
  VENTURI_INTERRUPTED: EXIT.interrupted,
  VENTURI_CODEC_MISSING: EXIT.usage,
  VENTURI_CACHE_FULL: EXIT.usage,
  VENTURI_CACHE_UNKEYED: EXIT.usage,
  VENTURI_CACHE_UNUSABLE: EXIT.usage,
  VENTURI_CACHE_DAMAGED: EXIT.usage,
  VENTURI_PLAN_UNREADABLE: EXIT.usage,
  VENTURI_PLAN_OTHER_PIPELINE: EXIT.usage,
  VENTURI_PLAN_UNSOUND: EXIT.usage,
  VENTURI_PLAN_REFUSED: EXIT.usage,
  VENTURI_SIDE_EFFECTS: EXIT.usage,
  VENTURI_CHECKPOINT_UNREADABLE: EXIT.unreadableRun,
  VENTURI_CHECKPOINT_TOO_NEW: EXIT.unreadableRun,
  VENTURI_CHECKPOINT_DIFFERS: EXIT.usage,
  VENTURI_CHECKPOINT_STALE: EXIT.usage,
  VENTURI_PROGRAM_NOT_FOUND: EXIT.usage,
  VENTURI_PROGRAM_FAILED: EXIT.programFailed,
  VENTURI_ATTACH_REFUSED: EXIT.usage,
  VENTURI_PERF_UNAVAILABLE: EXIT.usage,
  VENTURI_SAMPLES_UNREADABLE: EXIT.usage,
  VENTURI_RUN_NOT_FOUND: EXIT.unreadableRun,
  VENTURI_RUN_EXISTS: EXIT.usage,
  VENTURI_RUN_UNREADABLE: EXIT.unreadableRun,
  VENTURI_RUN_UNWRITABLE: EXIT.usage,
  VENTURI_RUN_TOO_NEW: EXIT.unreadableRun,
  VENTURI_RUN_EMPTY: EXIT.unreadableRun,
  VENTURI_RUN_TOO_SHORT: EXIT.unreadableRun,
  VENTURI_STEPS_UNREADABLE: EXIT.unreadableRun,
  VENTURI_STEPS_NONE: EXIT.unreadableRun,
  VENTURI_STEPS_CYCLIC: EXIT.unreadableRun,
  VENTURI_USAGE: EXIT.usage,
};
