export { type Fold, foldRecords } from './fold.ts';
export type { LaneRecords } from './lane-reader.ts';
export { type LaneOptions, LaneWriter, openLane, type WriteAt } from './lane-writer.ts';
export { redactManifest } from './redact.ts';
export { redactRun } from './redact-run.ts';
export { openRun, type Run, type RunSamples } from './run-reader.ts';
export { createRun, type RunFacts, RunWriter, runFolder } from './run-writer.ts';
