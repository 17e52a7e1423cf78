import { replaceFile } from '../../../files/atomic-file.ts';
import { mean } from '../../../math/statistics.ts';
import { VenturiError } from '../../../model/errors.ts';
import { clusterAssumptionsOf } from '../../../prediction/scaleout/assumptions.ts';
import type { InputPipeline } from '../../../prediction/scaleout/cluster.ts';
import { bandwidthOf, type ClusterOptions, requestFor } from '../../../prediction/scaleout/cluster-request.ts';
import { type Fit, fitOverhead } from '../../../prediction/scaleout/fit.ts';
import { forecastOf } from '../../../prediction/scaleout/forecast.ts';
import { pauseOf } from '../../../prediction/scaleout/pause.ts';
import { phasesOf, synchronyOf } from '../../../prediction/scaleout/phases.ts';
import type { ScaleoutRequest } from '../../../prediction/scaleout/request.ts';
import { inSendingOrder } from '../../../prediction/scaleout/sending-order.ts';
import { type ScaleoutProfile, UPLINK } from '../../../prediction/scaleout/step.ts';
import { type ProfiledSteps, stepsOf } from '../../../prediction/scaleout/steps-of.ts';
import { syntheticTrace } from '../../../prediction/scaleout/synthetic-trace.ts';
import { ScaleoutJob } from '../../../prediction/scaleout/tasks.ts';
import { stepEvents } from '../../../report/chrome/step-events.ts';
import type { ClusterPrediction, ClusterTimeline } from '../../../report/results/cluster-prediction.ts';
import type { Waiting } from '../../attendant.ts';
import { unwritableExport } from '../../export/unwritable.ts';
import { deliveredInput, recordingBeside } from './joined-recording.ts';
import { type OpenedSteps, openSteps } from './read.ts';
import { simulateAll } from './simulations.ts';
import { unmarkedWarnings } from './unmarked.ts';

export interface PredictClusterRequest extends ClusterOptions {
  readonly batchSize?: number | undefined;
  readonly stepMarker?: string | undefined;
  /** A recording of the same job, and which of its loaders: workers are held to what that delivers. */
  readonly recording?: string | undefined;
  readonly loader?: string | undefined;
}

/** Throughput on clusters, from a trace of one worker's steps. */
export const predictCluster = async (
  path: string,
  { stepMarker, ...request }: PredictClusterRequest,
  waiting?: Waiting,
): Promise<ClusterPrediction> => clusterPredictionOf(await openSteps(path, stepMarker), request, waiting);

export async function clusterPredictionOf(
  { heading, trace }: OpenedSteps,
  { batchSize, writeTrace, recording, loader, ...options }: Omit<PredictClusterRequest, 'stepMarker'>,
  waiting?: Waiting,
): Promise<ClusterPrediction> {
  const profiled = stepsOf(trace, batchSize ?? 1);
  const fit = options.fit === true ? fitOf(profiled, options) : undefined;
  const input = await inputBeside(heading.folder, recording, loader);
  const recorded = fit === undefined ? profiled : { ...profiled, profile: sentProfile(profiled, fit, options) };
  const request = paused(requestFor(options, profiled, fit, input), recorded, options);
  // A given order replaces that of streams from servers, which begin when they were asked for. Streams to servers keep theirs.
  const { profile } =
    fit === undefined || request.order === 'recorded'
      ? recorded
      : { profile: sentProfile(profiled, fit, options, resource => resource === UPLINK) };
  const job = new ScaleoutJob(profile, request);
  const results = await simulateAll(job, profile, waiting, options.threads);
  const { steps } = profile;
  const timeline = writeTrace === undefined ? undefined : writtenTimeline(job, writeTrace, steps.length);
  return {
    schemaVersion: 1,
    name: heading.name,
    folder: heading.folder,
    whatIf: request,
    unit: batchSize === undefined ? 'steps' : 'examples',
    profiled: { steps: steps.length, seconds: mean(steps.map(({ duration }) => duration)) },
    fit,
    ...forecastOf(job, results),
    assumptions: [...profiled.assumptions, ...trace.assumptions],
    clusterAssumptions: clusterAssumptionsOf(request, steps.length, options),
    timeline,
    problems: unmarkedWarnings(heading.name, trace),
  };
}

/** What a recording of the job delivers: the one that is named, or lies beside the traces. */
export async function inputBeside(
  path: string,
  recording?: string,
  loader?: string,
): Promise<InputPipeline | undefined> {
  const recorded = recording ?? recordingBeside(path);
  return recorded === undefined ? undefined : deliveredInput(recorded, loader);
}

function paused(request: ScaleoutRequest, profiled: ProfiledSteps, options: ClusterOptions): ScaleoutRequest {
  const { alone, profiledBandwidth: bandwidth = request.bandwidth } = options;
  return alone === undefined ? request : { ...request, pause: pauseOf(profiled, request, { alone, bandwidth }) };
}

/** With the order in which streams were sent, as far as the windows found tell it. */
const sentProfile = (
  { profile }: ProfiledSteps,
  { window, uplinkWindow, overhead: { perByte } }: Fit,
  options: ClusterOptions,
  isMeant?: (resource: number) => boolean,
): ScaleoutProfile =>
  inSendingOrder(profile, { bandwidth: profiledBandwidthOf(options), window, uplinkWindow, perByte }, isMeant);

const profiledBandwidthOf = (options: ClusterOptions): number => options.profiledBandwidth ?? bandwidthOf(options);

function fitOf({ profile, lanes, servers, hasServers }: ProfiledSteps, options: ClusterOptions): Fit {
  if (!hasServers) {
    throw new VenturiError('VENTURI_USAGE', '--fit: there are no transfers from or to parameter servers to fit to.', {
      remedy: 'Leave --fit out: an all-reduce has neither HTTP/2 streams nor parsing.',
    });
  }
  const { parse = 'worker', multiplexing = 'rr' } = options;
  const overhead = { perByte: 0, perMessage: 0 };
  // The order that is asked for is another than that in which the trace was recorded.
  const recorded = { order: 'recorded', orderSeed: 0 } as const;
  return fitOverhead(profile, {
    settings: { servers, partition: 'recorded', ...recorded, overhead, parse },
    bandwidth: profiledBandwidthOf(options),
    multiplexing,
    lanes: options.lanes ?? lanes,
  });
}

/** Ops of a synthetic trace at most: some hundred bytes each. It has no more steps of a worker than were profiled. */
const TRACED_OPS = 1e6;

/** Writes a synthetic trace of the largest cluster for Perfetto. */
function writtenTimeline(job: ScaleoutJob, file: string, most: number): ClusterTimeline {
  const { workers, servers } = job.request;
  const largest = { workers: Math.max(...workers), servers: servers[0] ?? 1, start: 'joint', resample: 0 } as const;
  const affordable = Math.floor(TRACED_OPS / (largest.workers * job.detailed(largest.servers).most));
  const trace = syntheticTrace(job, largest, Math.max(2, Math.min(most, affordable)));
  try {
    replaceFile(file, `{"displayTimeUnit":"ms","traceEvents":[\n${[...stepEvents(trace)].join(',\n')}\n]}\n`);
  } catch (error) {
    throw unwritableExport(file, error);
  }
  const phases = phasesOf(trace);
  return { file, workers: largest.workers, servers: largest.servers, phases, synchrony: synchronyOf(phases) };
}
