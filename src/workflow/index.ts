export type { AttributionSummary, OperatorSamples, SymbolRow } from '../analysis/attribution/summary.ts';
export type { MemoryGrowth } from '../analysis/batches/memory-growth.ts';
export type { PhaseTime, StepPhases } from '../analysis/batches/phases.ts';
export type { RecentLoader } from '../analysis/batches/recent.ts';
export type { BatchSummary, LoaderSummary, OperatorTimeRow } from '../analysis/batches/summary.ts';
export type { ChannelRow, LaneRow, OperatorRow, RunTotals, Waiting } from '../analysis/rates/rows.ts';
export type { SpanRow } from '../analysis/rates/spans.ts';
export type { Cause, Doubt, Fix, Gain } from '../findings/finding.ts';
export type { Finding, FindingKind, FindingOf } from '../findings/registry.ts';
export { ERROR_CODES, type ErrorCode, VenturiError } from '../model/errors.ts';
export type { LoweredLine, LoweredLoop, LoweredStage } from '../model/lowered.ts';
export {
  type Action,
  type Change,
  type PipelinePlan,
  type Plan,
  PlanSchema,
  type Refusal,
  type WrittenPlan,
} from '../model/plan.ts';
export type { ClusterOptions } from '../prediction/scaleout/cluster-request.ts';
export { EXPORT_FORMATS, type ExportFormat } from '../report/export-formats.ts';
export type { ClusterPrediction } from '../report/results/cluster-prediction.ts';
export type { ComparedOperator, ComparedRun, Comparison, PipelineComparison } from '../report/results/comparison.ts';
export type { CostsReport } from '../report/results/costs.ts';
export type { DemoResult } from '../report/results/demo.ts';
export type { Diagnosis, NarrowSegment, PipelineDiagnosis } from '../report/results/diagnosis.ts';
export type { DiskReport } from '../report/results/disk.ts';
export type { DoctorCheck, DoctorReport } from '../report/results/doctor.ts';
export type { Explanation } from '../report/results/explanation.ts';
export type { Fleet, FleetRun } from '../report/results/fleet.ts';
export type { CaptureRow, FunctionMapping } from '../report/results/function-mapping.ts';
export type { LoaderEdit } from '../report/results/loader-edit.ts';
export type { LoaderSeries, SeriesCost, SeriesRun } from '../report/results/loader-series.ts';
export type { PlanComparison } from '../report/results/plan-comparison.ts';
export type { Prediction, RunForecast } from '../report/results/prediction.ts';
export type { Profile } from '../report/results/profile.ts';
export type { LoaderDiagnosis, ProgramDiagnosis } from '../report/results/program-diagnosis.ts';
export type { LoaderPrediction, ProgramPrediction } from '../report/results/program-prediction.ts';
export type { LoaderTrial, MeasuredRate, TuneProgramResult } from '../report/results/program-tuning.ts';
export type { ProgramRecordResult, RecordResult } from '../report/results/record-result.ts';
export type { RunInfo } from '../report/results/run-info.ts';
export type { RunResult } from '../report/results/run-result.ts';
export type { RunSampleReport } from '../report/results/run-samples.ts';
export type { PipelineTuneResult, SearchedCalls, TriedPlan, TuneResult } from '../report/results/tuning.ts';
export { type FlatSummary, flatSummary } from '../report/views/flat-summary.ts';
export type { ComparedChange } from '../tuning/comparison.ts';
export type { Answer } from './answer.ts';
export type { Attendant } from './attendant.ts';
export { compareAll } from './compare-all.ts';
export { comparePlans } from './compare-plans.ts';
export { measureCosts } from './costs.ts';
export { type DemoRequest, demo } from './demo.ts';
export { measureDisk } from './disk.ts';
export { doctor } from './doctor.ts';
export { type ExplainRequest, explain } from './explain.ts';
export { type ExportRequest, type ExportResult, exportRun } from './export/export-run.ts';
export { diagnoseFleet } from './fleet.ts';
export { describeRun, runInfo } from './info.ts';
export { type MapRequest, mapFunctions } from './map-functions.ts';
export { type OptimizedPipeline, type OptimizeOptions, optimize } from './optimize.ts';
export { loadPlan, savePlan } from './plan-file.ts';
export { type ProfileRequest, profileRun } from './profile.ts';
export { type ProfilePipelineRequest, profile } from './profile-pipeline.ts';
export type { LiveProgress } from './progress.ts';
export { type RunRequest, runPipeline } from './run.ts';
export { runSamples, type SampleRequest } from './samples.ts';
export { summariseSpans } from './spans.ts';
export type { AnalyseOptions } from './targets/engine/analyse.ts';
export { compareRuns } from './targets/engine/compare.ts';
export { diagnose } from './targets/engine/diagnose.ts';
export { type PredictRequest, predict } from './targets/engine/predict.ts';
export type { TuneOptions } from './targets/engine/tune/options.ts';
export { type TuneRequest, tune } from './targets/engine/tune.ts';
export { type AttachRequest, attachProgram } from './targets/pytorch/attach.ts';
export { compareLoaders } from './targets/pytorch/compare.ts';
export { type DiagnoseProgramOptions, diagnoseProgram } from './targets/pytorch/diagnose.ts';
export { watchBatches } from './targets/pytorch/live-batches.ts';
export { type PredictLoaderRequest, predictProgram } from './targets/pytorch/predict.ts';
export { type RecordRequest, recordProgram } from './targets/pytorch/record.ts';
export { type TuneProgramRequest, tuneProgram } from './targets/pytorch/tune.ts';
export { type ReplayedRank, replayTrace } from './targets/steps/replay.ts';
export type { ForecastRequest, JudgeOptions, RecordFlags, Tuned, TuneFlags } from './targets/target.ts';
export { forecastRun, judgeRuns, recordCommand, tuneCommand } from './verbs.ts';
export { VERSION } from './version.ts';
