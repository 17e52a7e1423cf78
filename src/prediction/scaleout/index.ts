export { ALGORITHMS, type Algorithm, allReduceTime, type Fabric, withAllReduce } from './all-reduce.ts';
export { type Baselines, baselinesOf, type StepDemand } from './baselines.ts';
export type { Cluster, StepSettings } from './cluster.ts';
export { type CompiledSteps, compileSteps } from './compile.ts';
export { clusterOf, STEP_SETTINGS } from './defaults.ts';
export { type Fit, type FitRequest, fitOverhead } from './fit.ts';
export {
  forecastOf,
  type ResourceUse,
  type Saturation,
  type ScaleoutForecast,
  type ScaleoutPoint,
  type TaskResult,
} from './forecast.ts';
export { phasesOf, type StepPhases, type Synchrony, synchronyOf } from './phases.ts';
export { type Money, REQUEST, type ScaleoutRequest } from './request.ts';
export { simulate } from './simulate.ts';
export type { Extent, Observer, Simulated } from './simulated.ts';
export type { ScaleoutProfile, ScaleoutStep, StepGraph } from './step.ts';
export { type ProfiledSteps, stepsOf } from './steps-of.ts';
export { type Reproduction, reproduce } from './stream-ends.ts';
export { syntheticTrace } from './synthetic-trace.ts';
export { ScaleoutJob, type ScaleoutTask, tasksOf } from './tasks.ts';
