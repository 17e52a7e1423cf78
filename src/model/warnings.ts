/**
 * What a reader should know about a result, which stands all the same. Like errors, warnings have codes that never change
 * meaning; docs/warnings.md says what each is about.
 */
export const WARNING_CODES = [
  // A run on disk
  'VENTURI_WARN_MANIFEST_DAMAGED',
  'VENTURI_WARN_LANES_UNREADABLE',
  'VENTURI_WARN_LANE_SKIPPED',
  'VENTURI_WARN_LANE_SEGMENTS_MISSING',
  'VENTURI_WARN_LANE_UNCLOSED',
  'VENTURI_WARN_LANE_UNREADABLE',
  'VENTURI_WARN_PROFILE_DAMAGED',
  // A pipeline that runs, and its recording
  'VENTURI_WARN_RUN',
  'VENTURI_WARN_CHECKPOINT_UNSAVED',
  'VENTURI_WARN_PLAN_STALE',
  'VENTURI_WARN_SLOTS_SHORT',
  // A program that is recorded
  'VENTURI_WARN_NOTHING_RECORDED',
  'VENTURI_WARN_RECORDING_STOPPED',
  'VENTURI_WARN_RECORDING_ROTATED',
  'VENTURI_WARN_RECORDING_UNWRITABLE',
  'VENTURI_WARN_WORKERS_UNSEEN',
  'VENTURI_WARN_PERF',
  // Runs that are compared
  'VENTURI_WARN_OTHER_PIPELINE',
  'VENTURI_WARN_OTHER_ENDS',
  'VENTURI_WARN_OTHER_DATA',
  'VENTURI_WARN_OTHER_MACHINE',
  'VENTURI_WARN_INCOMPLETE',
  'VENTURI_WARN_MACHINE_SHARED',
  // A pipeline that is tuned
  'VENTURI_WARN_ELEMENTS_STAY',
  'VENTURI_WARN_INTERRUPTED',
  'VENTURI_WARN_FORECAST_UNTOLD',
  'VENTURI_WARN_RATES_UNSTEADY',
  'VENTURI_WARN_CALLS_FAILED',
  'VENTURI_WARN_PLAN_NOT_RUN',
  'VENTURI_WARN_NOT_REPEATABLE',
  'VENTURI_WARN_NOT_APPLIED',
  // A trace of training steps
  'VENTURI_WARN_STEPS_UNMARKED',
  // An export
  'VENTURI_WARN_TRACES_APART',
] as const;

export type WarningCode = (typeof WARNING_CODES)[number];

export interface Warning {
  readonly code: WarningCode;
  readonly message: string;
}
