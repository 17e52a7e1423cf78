export type { AttributionSummary, OperatorSamples, SymbolRow } from '../analysis/attribution/summary.ts';
export type { MemoryGrowth } from '../analysis/batches/memory-growth.ts';
export type { PhaseTime, StepPhases } from '../analysis/batches/phases.ts';
export type { RecentLoader } from '../analysis/batches/recent.ts';
export type { BatchSummary, LoaderSummary, OperatorTimeRow } from '../analysis/batches/summary.ts';
export type { ChannelRow, LaneRow, OperatorRow, RunTotals, Waiting } from '../analysis/rates/rows.ts';
export type { SpanRow } from '../analysis/rates/spans.ts';
export { ERROR_CODES, type ErrorCode, VenturiError } from '../model/errors.ts';
export { type Action, type Change, type Plan, PlanSchema } from '../model/plan.ts';
export type { ComparedChange } from '../tuning/comparison.ts';
export type { AnalyseOptions } from './analyse.ts';
export { type AttachRequest, attachProgram } from './attach-program.ts';
export { type ComparedOperator, type ComparedRun, type Comparison, compareRuns } from './compare.ts';
export {
  compareLoaders,
  isLoaderSeries,
  type LoaderSeries,
  type SeriesCost,
  type SeriesRun,
} from './compare-loaders.ts';
export { comparePlans, type PlanComparison } from './compare-plans.ts';
export { type DemoRequest, type DemoResult, demo } from './demo.ts';
export { type Diagnosis, diagnose, type NarrowSegment } from './diagnose.ts';
export {
  type DiagnoseProgramOptions,
  diagnoseProgram,
  type LoaderDiagnosis,
  type ProgramDiagnosis,
} from './diagnose-program.ts';
export { type DiskReport, measureDisk } from './disk.ts';
export { type DoctorCheck, type DoctorReport, doctor } from './doctor.ts';
export {
  EXPORT_FORMATS,
  type ExportFormat,
  type ExportRequest,
  type ExportResult,
  exportRun,
} from './export/export-run.ts';
export { type FlatSummary, flatSummary } from './flat-summary.ts';
export { diagnoseFleet, type Fleet, type FleetRun, isFleet } from './fleet.ts';
export { type RunInfo, runInfo } from './info.ts';
export { watchBatches } from './live-batches.ts';
export type { LoaderEdit } from './loader-edit.ts';
export { type CaptureRow, type FunctionMapping, type MapRequest, mapFunctions } from './map-functions.ts';
export { type OptimizedPipeline, type OptimizeOptions, optimize } from './optimize.ts';
export { loadPlan, savePlan } from './plan-file.ts';
export { type Prediction, type PredictRequest, predict } from './predict.ts';
export {
  type LoaderPrediction,
  type PredictLoaderRequest,
  type ProgramPrediction,
  predictProgram,
} from './predict-program.ts';
export type { LiveProgress } from './progress.ts';
export { isProgramRun } from './read-batches.ts';
export { type RecordRequest, type RecordResult, recordProgram } from './record-program.ts';
export { type RunRequest, type RunResult, runPipeline } from './run.ts';
export { type RunSampleReport, runSamples, type SampleRequest } from './samples.ts';
export { summariseSpans } from './spans.ts';
export type { TuneOptions } from './tune/options.ts';
export type { SearchedCalls, TriedPlan, TuneResult } from './tune/result.ts';
export { type TuneRequest, tune } from './tune.ts';
export {
  type LoaderTrial,
  type MeasuredRate,
  type TuneProgramRequest,
  type TuneProgramResult,
  tuneProgram,
} from './tune-program.ts';
export { VERSION } from './version.ts';
