import { basename, extname } from 'node:path';
import { VenturiError } from '../model/errors.ts';
import { DEFAULT_PERF, type PerfSettings } from '../probes/samples/perf-process.ts';
import type { Profile } from '../report/results/profile.ts';
import { PROFILE_LEVELS, type ProfileLevel, profileReport } from '../report/views/profile.ts';
import type { Answer } from './answer.ts';
import { type ProfileRequest, profileRun } from './profile.ts';
import { type RunRequest, runPipeline } from './run.ts';
import { unusedName } from './unused-name.ts';

export interface ProfilePipelineRequest
  extends ProfileRequest,
    Omit<RunRequest, 'pipeline' | 'profileRate' | 'profilePerf' | 'signal' | 'onStart' | 'onProgress' | 'onWarning'> {
  /** The file of a pipeline, or a run that was profiled. */
  readonly subject: string;
  /** Samples per second and lane; 1000 unless given. */
  readonly rate?: number | undefined;
  /** Linux perf beside V8's profiler, at the same rate. */
  readonly perf?: boolean | undefined;
  /** What perf samples, as it names it; the CPU clock unless given. */
  readonly perfEvents?: readonly string[] | undefined;
  /** What is shown. */
  readonly level: string;
}

const isPipeline = (path: string): boolean => /\.[cm]?[jt]sx?$/.test(path);

/** Profiles a pipeline, or shows a run that was. */
export async function profile(
  request: ProfilePipelineRequest,
  watching: Pick<RunRequest, 'signal' | 'onProgress' | 'onWarning'> = {},
): Promise<Answer<Profile>> {
  const { subject, rate, perf, perfEvents, level: asked, from, to, epoch, ...run } = request;
  const level = levelOf(asked);
  if (!isPipeline(subject)) refuseRunOptions(subject, { rate, perf, perfEvents, ...run });
  const ways = { ...run, profilePerf: perfSettings(request) };
  const folder = isPipeline(subject) ? await sampledRun(subject, rate ?? USUAL_RATE, ways, watching) : subject;
  const result = await profileRun(folder, { from, to, epoch });
  return { result, report: () => profileReport(result, level) };
}

const USUAL_RATE = 1000;

/** One less than V8's rate: at the same one, each profiler would sample the other's work. */
function perfSettings({
  rate = USUAL_RATE,
  perf,
  perfEvents,
  inline,
}: ProfilePipelineRequest): PerfSettings | undefined {
  if (perf !== true) {
    if (perfEvents === undefined) return undefined;
    throw new VenturiError('VENTURI_BAD_OPTION', '--perf-events says what --perf samples.', { remedy: 'Add --perf.' });
  }
  if (inline === true)
    throw new VenturiError('VENTURI_BAD_OPTION', '--perf needs threads that start after it; --inline has none.', {
      remedy: 'Leave --perf or --inline away.',
    });
  return { events: perfEvents ?? DEFAULT_PERF.events, frequency: Math.max(1, rate - 1) };
}

/** Options of a run mean nothing to one that is over. */
function refuseRunOptions(subject: string, options: Readonly<Record<string, unknown>>): void {
  const given = Object.entries(options).filter(([, value]) =>
    Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false,
  );
  if (given.length === 0) return;
  const names = given.map(([name]) => FLAGS[name] ?? name);
  throw new VenturiError(
    'VENTURI_BAD_OPTION',
    `${names.join(', ')} cannot change ${subject}, which was recorded before.`,
    {
      remedy: 'Leave that away, or give the file of a pipeline: it is run and profiled anew.',
    },
  );
}

/** As the command line calls them. */
const FLAGS: Readonly<Record<string, string>> = {
  rate: '--rate',
  perf: '--perf',
  perfEvents: '--perf-events',
  record: '--record',
  set: '--set',
  plan: '--plan',
  cacheFolder: '--cache-folder',
  maxLanes: '--max-lanes',
  params: '--param',
  epochs: '--epochs',
  forSeconds: '--for',
  memory: '--memory',
  seed: '--seed',
  inline: '--inline',
};

function levelOf(asked: string): ProfileLevel {
  const level = PROFILE_LEVELS.find(each => each === asked);
  if (level !== undefined) return level;
  throw new VenturiError('VENTURI_BAD_OPTION', `'${asked}' is no level of a profile.`, {
    remedy: `Give one of ${PROFILE_LEVELS.join(', ')}.`,
  });
}

async function sampledRun(
  pipeline: string,
  rate: number,
  run: Omit<RunRequest, 'pipeline'>,
  watching: Pick<RunRequest, 'signal' | 'onProgress' | 'onWarning'>,
): Promise<string> {
  const { HIGHEST_RATE, LOWEST_RATE } = await import('../probes/engine/profile/sampling.ts');
  if (rate < LOWEST_RATE || rate > HIGHEST_RATE) {
    throw new VenturiError('VENTURI_BAD_OPTION', `${rate} samples a second cannot be taken.`, {
      remedy: `Give a rate between ${LOWEST_RATE} and ${HIGHEST_RATE}; V8 takes no more.`,
    });
  }
  const record = run.record ?? unusedName(`${basename(pipeline, extname(pipeline))}-profile`);
  const { recording } = await runPipeline({ ...run, ...watching, pipeline, record, profileRate: rate });
  return recording ?? record;
}
