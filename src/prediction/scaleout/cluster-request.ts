import { VenturiError } from '../../model/errors.ts';
import type { InputPipeline } from './cluster.ts';
import type { Fit } from './fit.ts';
import { REQUEST, type ScaleoutRequest } from './request.ts';
import type { ProfiledSteps } from './steps-of.ts';

/** What can be asked of clusters; the rest is as the trace says, or as a job is usually set up. */
export interface ClusterOptions
  extends Partial<Omit<ScaleoutRequest, 'workers' | 'overhead' | 'money' | 'input' | 'pause'>> {
  /** Numbers of workers. */
  readonly replicas?: readonly number[] | undefined;
  /** Fit WIN, α and β to the trace. */
  readonly fit?: boolean | undefined;
  /** Bandwidth at which it was profiled, where it is not the one asked for. */
  readonly profiledBandwidth?: number | undefined;
  /** Examples per second of one worker that was not traced, at the bandwidth at which it was profiled. */
  readonly alone?: number | undefined;
  /** α in seconds per byte, β in seconds per message. */
  readonly alpha?: number | undefined;
  readonly beta?: number | undefined;
  /** Batches per second that the input pipeline of a worker delivers. */
  readonly input?: number | undefined;
  /** Per hour, of a worker and of a server. */
  readonly price?: number | undefined;
  readonly serverPrice?: number | undefined;
  /** Examples of an epoch. */
  readonly epochSize?: number | undefined;
  /** File for a synthetic trace of the largest cluster. */
  readonly writeTrace?: string | undefined;
  /** For simulations; where it is not given, one for each core if they take long. */
  readonly threads?: number | undefined;
}

/** Numbers of workers that are forecast where none are given: one, and five times twice as many, up to 32. */
const USUAL_REPLICAS = Array.from({ length: 6 }, (_, doublings) => 2 ** doublings);
/** Batches that a DataLoader of PyTorch prepares ahead for each of its processes. */
const INPUT_BUFFER = 2;

export function requestFor(
  options: ClusterOptions,
  profiled: ProfiledSteps,
  fit: Fit | undefined,
  recordedInput?: InputPipeline,
): ScaleoutRequest {
  const { replicas, fit: _fit, profiledBandwidth: _profiled, alone: _alone, alpha, beta, input, ...rest } = options;
  const { price, serverPrice, epochSize, writeTrace: _file, threads: _threads, ...cluster } = rest;
  const mode = options.mode ?? (profiled.hasServers || !profiled.hasCollectives ? 'async' : 'allreduce');
  refuseWithoutTransfers(mode, profiled);
  refuseWithoutBytes(profiled);
  const given = Object.fromEntries(Object.entries(cluster).filter(([, value]) => value !== undefined));
  const servers = options.servers ?? [profiled.servers];
  const isAsRecorded = servers.length === 1 && servers[0] === profiled.servers;
  return {
    ...REQUEST,
    partition: isAsRecorded ? 'recorded' : 'round-robin',
    lanes: profiled.lanes,
    window: fit?.window ?? REQUEST.window,
    // A window that is given is that of both directions.
    uplinkWindow: options.window === undefined ? fit?.uplinkWindow : undefined,
    ...given,
    mode,
    servers: mode === 'allreduce' ? [1] : servers,
    workers: replicas ?? USUAL_REPLICAS,
    bandwidth: bandwidthOf(options),
    overhead: {
      perByte: alpha ?? fit?.overhead.perByte ?? 0,
      perMessage: beta ?? fit?.overhead.perMessage ?? 0,
    },
    input: input === undefined ? recordedInput : { rate: input, buffer: INPUT_BUFFER },
    money:
      price === undefined && epochSize === undefined
        ? undefined
        : { worker: price ?? 0, server: serverPrice ?? price ?? 0, epoch: epochSize },
  };
}

export function bandwidthOf({ bandwidth }: ClusterOptions): number {
  if (bandwidth !== undefined) return bandwidth;
  throw new VenturiError('VENTURI_USAGE', 'How fast the network of the cluster is cannot be told from a trace.', {
    remedy: 'Give the bandwidth of a host, as iperf measures it: --bandwidth 10Gbit',
  });
}

/** Were nothing known of what is sent, every cluster would be forecast as if its network were free. */
function refuseWithoutBytes({ hasBytes }: ProfiledSteps): void {
  if (hasBytes) return;
  throw new VenturiError(
    'VENTURI_USAGE',
    'No transfer in the trace says how many bytes it moves, so it does not tell what a network would cost.',
    {
      remedy:
        'Record them: torch.profiler.profile(…, record_shapes=True); of TensorFlow the RunMetadata itself, since a timeline leaves them out.',
    },
  );
}

/** What is to be sent must be in the trace. */
function refuseWithoutTransfers(mode: ScaleoutRequest['mode'], { hasServers, hasCollectives }: ProfiledSteps): void {
  if (mode === 'allreduce' ? hasServers || hasCollectives : hasServers) return;
  const missing =
    mode !== 'allreduce' && hasCollectives
      ? 'no transfers from or to a parameter server'
      : 'neither an all-reduce nor transfers from or to a parameter server';
  throw new VenturiError(
    'VENTURI_USAGE',
    `The trace has ${missing}, so it does not tell how many bytes a step sends.`,
    {
      remedy:
        mode !== 'allreduce' && hasCollectives
          ? 'It has all-reduces: --mode allreduce forecasts those.'
          : 'Record steps of a job with one worker that communicates: DistributedDataParallel of two processes, or one parameter server.',
    },
  );
}
