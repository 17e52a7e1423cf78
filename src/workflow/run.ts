import { type LoadedPipeline, loadPipeline } from '../engine/api/load.ts';
import { describePipeline } from '../engine/api/planned.ts';
import type { OperatorSettings } from '../engine/contract/operator-settings.ts';
import type { Run, RunOptions, RunSummary } from '../engine/contract/run.ts';
import { readCheckpoint } from '../engine/runtime/checkpoint/checkpoint-file.ts';
import { strayError, watchStrays } from '../errors/stray-errors.ts';
import { topologyOf } from '../graph/topology.ts';
import { type AppliedPlan, appliedPlan } from '../model/applied-plan.ts';
import { VenturiError } from '../model/errors.ts';
import type { Graph } from '../model/graph.ts';
import { AUTHOR_LINES } from '../model/line-ranges.ts';
import type { PipelinePlan } from '../model/plan.ts';
import type { RandomOperator } from '../model/random-operator.ts';
import type { Warning } from '../model/warnings.ts';
import type { Sampling } from '../probes/engine/profile/sampling.ts';
import type { EngineRecorder } from '../probes/engine/recorder.ts';
import type { PerfSettings } from '../probes/samples/perf-process.ts';
import type { RunResult } from '../report/results/run-result.ts';
import { Arrivals } from './arrivals.ts';
import { CheckpointKeeper } from './checkpoint-keeper.ts';
import { failureOf } from './failure.ts';
import type { PerfSampling } from './perf-sampling.ts';
import { type LiveProgress, watchProgress } from './progress.ts';
import { VERSION } from './version.ts';

export interface RunRequest {
  /** The pipeline's file. */
  readonly pipeline: string;
  /** Folder to record into. */
  readonly record?: string | undefined;
  readonly redact?: boolean | undefined;
  /** Bytes the recording may take on disk. */
  readonly maxRecordBytes?: number | undefined;
  /** Samples per second and lane to take of a run that is recorded; none unless given. */
  readonly profileRate?: number | undefined;
  /** Linux perf beside that. */
  readonly profilePerf?: PerfSettings | undefined;
  /** `OPERATOR.setting=value`. */
  readonly set: readonly string[];
  /** File with a plan to carry out. It may be somebody else's. */
  readonly plan?: string | undefined;
  /** Folder at or below which the plan may keep elements on disk; without it, it may not. */
  readonly cacheFolder?: string | undefined;
  /** Threads that the plan may ask for; by cores and memory unless given. */
  readonly maxLanes?: number | undefined;
  /** `key=value`. */
  readonly params: readonly string[];
  readonly epochs?: number | undefined;
  readonly forSeconds?: number | undefined;
  readonly memory?: number | undefined;
  readonly seed?: number | undefined;
  /** File for elements that are given up. */
  readonly deadLetter?: string | undefined;
  /** Everything on the calling thread. */
  readonly inline?: boolean | undefined;
  /** File that holds where the run stands: written every so often, and when the run ends, however it does. */
  readonly checkpoint?: string | undefined;
  readonly everySeconds?: number | undefined;
  /** File from which the run goes on. */
  readonly resume?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  onStart?(started: { readonly graph: Graph; readonly recording: string | undefined }): void;
  onProgress?(progress: LiveProgress): void;
  onWarning?(warning: Warning): void;
}

/** What of a request becomes options of the engine. */
type OptionsRequest = Pick<
  RunRequest,
  | 'set'
  | 'cacheFolder'
  | 'maxLanes'
  | 'params'
  | 'epochs'
  | 'memory'
  | 'seed'
  | 'deadLetter'
  | 'inline'
  | 'checkpoint'
  | 'resume'
>;

/** A timer set for longer fires at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** How the pipeline of a run is loaded, and what becomes of its elements. */
export interface RunManner {
  readonly load: (pipeline: string, signal?: AbortSignal, firstLine?: number) => Promise<LoadedPipeline>;
  readonly consume: (run: Run<unknown>) => Promise<RunSummary>;
}

const DRAINED: RunManner = { load: loadPipeline, consume: run => run.drain() };

/** Runs a pipeline file to its end, recorded if wished. What was recorded survives every way a run can end. */
export async function runPipeline(request: RunRequest, { load, consume }: RunManner = DRAINED): Promise<RunResult> {
  // What few runs need is not loaded for the others: all of it takes longer than a short run.
  const plan = request.plan === undefined ? undefined : (await import('./plan-file.ts')).loadPlan(request.plan);
  const options = runOptions(request, plan);
  if (request.profileRate === undefined) return loadedRun(request, { load, consume }, options, plan);
  // Queries may be made where the module is loaded.
  const { setProfiled } = await import('../engine/compile/scripts.ts');
  setProfiled(true);
  try {
    return await loadedRun(request, { load, consume }, options, plan);
  } finally {
    setProfiled(false);
  }
}

async function loadedRun(
  request: RunRequest,
  { load, consume }: RunManner,
  options: RunOptions,
  plan: PipelinePlan | undefined,
): Promise<RunResult> {
  const firstLine = request.profileRate === undefined ? undefined : AUTHOR_LINES;
  const loaded = await load(request.pipeline, request.signal, firstLine);
  try {
    // Profiled code has other line breaks, and so another fingerprint.
    if (plan !== undefined && request.profileRate === undefined)
      warn(request, staleness(plan, loaded.definition, options));
    const recorder = request.record === undefined ? undefined : await openRecorder(request.record, request, options);
    const sampling = recorder && (await openSampling(recorder.folder, request, loaded));
    const perf = recorder && (await openPerf(recorder.folder, request, loaded));
    try {
      return await runLoaded({ begin: loaded.definition.run, consume }, request, options, recorder, sampling, perf);
    } finally {
      await perf?.end();
    }
  } finally {
    await loaded.dispose();
  }
}

async function runLoaded(
  { begin, consume }: Pick<RunManner, 'consume'> & { readonly begin: (options: RunOptions) => Run<unknown> },
  request: RunRequest,
  options: RunOptions,
  recorder: EngineRecorder | undefined,
  sampling: Sampling | undefined,
  perf: PerfSampling | undefined,
): Promise<RunResult> {
  const stop = new AbortController();
  const signals = [stop.signal, ...(request.signal === undefined ? [] : [request.signal])];
  const settings: RunOptions = { ...options, signal: AbortSignal.any(signals) };
  const run =
    recorder === undefined ? begin(settings) : recorder.start(probe => begin({ ...settings, probe }), sampling);
  sampling?.begin(run.graph.stages.reduce((sum, { parallelism }) => sum + parallelism, 0) || 1);
  request.onStart?.({ graph: run.graph, recording: recorder?.folder });
  const { forSeconds } = request;
  const timer =
    forSeconds === undefined
      ? undefined
      : setTimeout(() => stop.abort(), Math.min(forSeconds * 1000, LONGEST_TIMER_MS));
  const unwatch = watchProgress(run, request.onProgress, { limitSeconds: forSeconds });
  const keeper = request.checkpoint === undefined ? undefined : new CheckpointKeeper(run, request.checkpoint, request);
  let summary: RunSummary;
  let unsampled: readonly string[] = [];
  let stray: VenturiError | undefined;
  // Without threads the functions run here; and a module may leave something to nobody wherever it is imported.
  const unwatchStrays = watchStrays((thrown, kind) => {
    stray ??= strayError(thrown, kind, 'the main thread');
    stop.abort();
  });
  try {
    summary = await consume(run);
    await keeper?.end();
    unsampled = [...((await sampling?.end()) ?? []), ...((await perf?.end()) ?? [])];
    if (stray !== undefined) throw stray;
  } catch (error) {
    await keeper?.end().catch(() => undefined);
    await sampling?.end().catch(() => undefined);
    warn(request, coded(recorder?.finish({ status: 'failed', error: failureOf(error), warnings: [] }) ?? []));
    throw error;
  } finally {
    clearTimeout(timer);
    unwatch();
    unwatchStrays();
  }
  const interrupted = request.signal?.aborted === true && summary.status === 'stopped';
  const status = interrupted ? 'interrupted' : summary.status;
  const told = [...summary.warnings, ...unsampled, ...frozen(options.plan, run.graph, summary.random)];
  const warnings = coded(recorder?.finish({ status, warnings: told }) ?? told);
  warn(request, warnings);
  const { bytes, seconds } = summary;
  const ends = new Arrivals(run).each();
  const elements = ends.reduce((sum, end) => sum + end.elements, 0);
  return {
    schemaVersion: 1,
    status,
    elements,
    ends,
    bytes,
    seconds,
    elementsPerSecond: seconds > 0 ? elements / seconds : 0,
    recording: recorder?.folder,
    warnings,
    random: summary.random,
  };
}

const coded = (lines: readonly string[]): Warning[] => lines.map(message => ({ code: 'VENTURI_WARN_RUN', message }));

const warn = (request: RunRequest, warnings: readonly Warning[]): void => {
  for (const warning of warnings) request.onWarning?.(warning);
};

async function openRecorder(folder: string, request: RunRequest, options: RunOptions): Promise<EngineRecorder> {
  const { EngineRecorder } = await import('../probes/engine/recorder.ts');
  return new EngineRecorder({
    folder,
    writer: `venturi ${VERSION}`,
    command: [
      'venturi',
      request.profileRate === undefined ? 'run' : 'profile',
      request.pipeline,
      ...(request.plan === undefined ? [] : ['--plan', request.plan]),
      ...request.set.flatMap(text => ['--set', text]),
      ...request.params.flatMap(text => ['--param', text]),
      ...(request.memory === undefined ? [] : ['--memory', `${request.memory}B`]),
      ...(request.cacheFolder === undefined ? [] : ['--cache-folder', request.cacheFolder]),
      ...(request.maxLanes === undefined ? [] : ['--max-lanes', `${request.maxLanes}`]),
      ...(request.resume === undefined ? [] : ['--resume', request.resume]),
    ],
    parameters: { ...options.resume?.params, ...options.params },
    settings: {
      seed: options.seed ?? options.resume?.seed ?? 0,
      epochs: options.epochs ?? options.resume?.epochs ?? 1,
      set: options.set ?? {},
      memory: options.memory,
      ...(request.profileRate === undefined ? {} : { profileRate: request.profileRate }),
      ...(options.resume === undefined ? {} : { resumed: true }),
      ...(options.plan === undefined ? {} : { plan: options.plan.actions }),
    },
    maxBytes: request.maxRecordBytes,
    redact: request.redact ?? false,
  });
}

async function openSampling(
  folder: string,
  request: RunRequest,
  { url }: LoadedPipeline,
): Promise<Sampling | undefined> {
  if (request.profileRate === undefined) return undefined;
  const { Sampling } = await import('../probes/engine/profile/sampling.ts');
  return new Sampling(folder, request.profileRate, url);
}

async function openPerf(
  folder: string,
  { profilePerf }: RunRequest,
  { url }: LoadedPipeline,
): Promise<PerfSampling | undefined> {
  if (profilePerf === undefined) return undefined;
  const { PerfSampling } = await import('./perf-sampling.ts');
  return PerfSampling.begin(folder, url, profilePerf);
}

/** A plan may be older than the code: it still gives the same elements, but may not be the best any more. */
function staleness(plan: PipelinePlan, definition: LoadedPipeline['definition'], { params }: RunOptions): Warning[] {
  const { fingerprint } = describePipeline(definition, params ?? {});
  if (fingerprint === plan.pipeline.fingerprint) return [];
  return [
    {
      code: 'VENTURI_WARN_PLAN_STALE',
      message: 'The pipeline has other code or parameters than when this plan was made: venturi tune makes a new one.',
    },
  ];
}

/** What is kept by a plan must not be random. Functions that have become so since it was made are found out here. */
function frozen(plan: AppliedPlan | undefined, { operators }: Graph, random: readonly RandomOperator[]): string[] {
  const caches = (plan?.actions ?? []).filter(({ kind }) => kind === 'cache');
  const topology = topologyOf(operators);
  return caches.flatMap(({ operator }) => {
    const at = topology.at(operator);
    const upTo = at === undefined ? [] : [...topology.upstream(at), at];
    const drew = random.find(({ id }) => upTo.some(each => each.id === id));
    if (drew === undefined) return [];
    return [
      `The plan keeps what comes out of '${operator}', but '${drew.id}' drew random numbers: its elements are those of the first pass. Make a new plan: venturi tune.`,
    ];
  });
}

export function runOptions(request: OptionsRequest, plan: PipelinePlan | undefined): RunOptions {
  const { epochs, memory, seed } = request;
  return {
    params: parametersFrom(request.params),
    set: parseSettings(request.set),
    ...(plan === undefined
      ? {}
      : { plan: appliedPlan(plan, { cacheFolder: request.cacheFolder, lanes: request.maxLanes }) }),
    ...(epochs === undefined ? {} : { epochs }),
    ...(memory === undefined ? {} : { memory }),
    ...(seed === undefined ? {} : { seed }),
    ...(request.deadLetter === undefined ? {} : { deadLetter: request.deadLetter }),
    ...(request.inline === true ? { parallelism: 0 } : {}),
    ...(request.checkpoint === undefined ? {} : { resumable: true }),
    ...(request.resume === undefined ? {} : { resume: readCheckpoint(request.resume) }),
  };
}

/** `key=value` each. */
export const parametersFrom = (texts: readonly string[]): Record<string, string> =>
  Object.fromEntries(texts.map(keyAndValue));

function keyAndValue(text: string): [string, string] {
  const equals = text.indexOf('=');
  if (equals > 0) return [text.slice(0, equals), text.slice(equals + 1)];
  throw new VenturiError('VENTURI_BAD_PARAMETER', `'${text}' is not a parameter`, {
    remedy: 'write --param name=value',
  });
}

const SETTINGS = ['parallelism', 'concurrency'] as const;

/** `OPERATOR.setting=value`, several of them for one operator. */
function parseSettings(texts: readonly string[]): Record<string, OperatorSettings> {
  const set: Record<string, OperatorSettings> = {};
  for (const text of texts) {
    const match = /^(.+)\.([a-z]+)=(.*)$/i.exec(text);
    const name = SETTINGS.find(setting => setting === match?.[2]);
    if (match?.[1] === undefined || name === undefined) {
      throw new VenturiError('VENTURI_BAD_OPTION', `'${text}' is not a setting`, {
        remedy: `write --set OPERATOR.${SETTINGS.join('=2 or OPERATOR.')}=2`,
      });
    }
    const value = /^\d+$/.test(match[3] ?? '') ? Number(match[3]) : 0;
    if (value < 1 || !Number.isSafeInteger(value)) {
      throw new VenturiError('VENTURI_BAD_OPTION', `'${match[3]}' is no ${name} for '${match[1]}'`, {
        remedy: 'give a whole number of at least 1',
      });
    }
    set[match[1]] = { ...set[match[1]], [name]: value };
  }
  return set;
}
