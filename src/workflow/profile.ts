import { type EpochRange, epochRange, epochsOf } from '../analysis/profile/epochs.ts';
import type { CountedOperator } from '../analysis/profile/sharing.ts';
import { summariseProfile } from '../analysis/profile/summary.ts';
import { OperatorSummary } from '../analysis/rates/operators.ts';
import { runRates } from '../analysis/rates/rates.ts';
import { type Timeline, TimelineFold } from '../analysis/timeline.ts';
import type { Interval } from '../math/statistics.ts';
import { VenturiError } from '../model/errors.ts';
import { machineOf } from '../model/host.ts';
import { MS_PER_SECOND, NS_PER_SECOND } from '../model/units.ts';
import type { Warning } from '../model/warnings.ts';
import type { Profile } from '../report/results/profile.ts';
import { foldRecords } from '../store/fold.ts';
import { readProfile } from '../store/profile-reader.ts';
import { openRun, type Run } from '../store/run-reader.ts';
import { LatestMoment } from './latest-moment.ts';

export interface ProfileRequest {
  /** Seconds of the run between which samples count. */
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  /** Those of this epoch alone, from 1 on. */
  readonly epoch?: number | undefined;
}

/** Who had the lanes of a run that was recorded with `venturi profile`. */
export async function profileRun(path: string, { from, to, epoch }: ProfileRequest = {}): Promise<Profile> {
  const run = openRun(path);
  const problems: Warning[] = [];
  const profile = readProfile(run.folder, problems);
  if (profile === undefined) {
    throw new VenturiError('VENTURI_RUN_EMPTY', `The run ${run.folder} has no profile.`, {
      remedy: 'Record one: venturi profile PIPELINE',
    });
  }
  if (from !== undefined && to !== undefined && from >= to) {
    throw new VenturiError('VENTURI_BAD_OPTION', `--from ${from} s is not before --to ${to} s.`, {
      remedy: 'Give two moments of the run, the earlier one as --from.',
    });
  }
  if (epoch !== undefined && (from !== undefined || to !== undefined)) {
    throw new VenturiError('VENTURI_BAD_OPTION', '--epoch is a range of time of its own.', {
      remedy: 'Give --epoch, or --from and --to.',
    });
  }
  const counters = await countersOf(run);
  const range = {
    start: Number(BigInt(run.manifest.start)),
    ...(epoch === undefined
      ? {
          from: from === undefined ? undefined : from * NS_PER_SECOND,
          to: to === undefined ? undefined : to * NS_PER_SECOND,
        }
      : rangeOfEpoch(run, counters, epoch)),
  };
  const last = Math.max(0, ...profile.streams.map(({ times }) => (times.at(-1) ?? 0) - range.start));
  if (range.from !== undefined && range.from > last) {
    throw new VenturiError(
      'VENTURI_BAD_OPTION',
      `The run had its last sample after ${(last / NS_PER_SECOND).toFixed(3)} s, before --from ${from} s.`,
      {
        remedy: 'Give an earlier moment as --from.',
      },
    );
  }
  const summary = summariseProfile(profile, operatorsOf(run, counters), range);
  return {
    schemaVersion: 1,
    name: run.manifest.name,
    folder: run.folder,
    fromSeconds: range.from === undefined ? undefined : range.from / NS_PER_SECOND,
    toSeconds: range.to === undefined ? undefined : range.to / NS_PER_SECOND,
    ...(epoch === undefined ? {} : { epoch }),
    ...summary,
    problems: [...run.problems, ...problems],
  };
}

interface RunCounters {
  readonly rows: ReturnType<OperatorSummary['result']>;
  readonly timeline: Timeline;
}

async function countersOf(run: Run): Promise<RunCounters> {
  const summary = new OperatorSummary();
  const timeline = new TimelineFold();
  const latest = new LatestMoment();
  await foldRecords(run.records(), [summary, timeline, latest]);
  return {
    rows: summary.result(run.manifest.graph, latest.endOf(run.manifest)),
    timeline: timeline.result(),
  };
}

/** The time of an epoch; refuses where the run has no such, or does not tell. */
function rangeOfEpoch({ manifest, folder }: Run, { rows, timeline }: RunCounters, epoch: number): EpochRange {
  const refused = (message: string, remedy: string): VenturiError =>
    new VenturiError('VENTURI_BAD_OPTION', message, { remedy });
  const { graph, outcome } = manifest;
  const epochs = graph === undefined ? 1 : epochsOf(graph);
  if (graph === undefined || epoch > epochs)
    throw refused(
      `${folder} has ${epochs === 1 ? 'one epoch' : `${epochs} epochs`}; there is no epoch ${epoch}.`,
      'Give the number of an epoch, the first being 1, or profile more of them: venturi profile PIPELINE --epochs 3',
    );
  if (epochs > 1 && outcome?.status !== 'completed')
    throw refused(
      `${folder} was ended before its ${epochs} epochs were through: how many elements an epoch has is not known.`,
      'Give two moments, --from and --to, or profile all epochs.',
    );
  const range = epochRange(timeline, rows.totals.ends, epochs, epoch);
  if (epochs > 1 && (range.to ?? timeline.end) - (range.from ?? 0) < timeline.binNs)
    throw refused(
      `An epoch of ${folder} is shorter than the ${(timeline.binNs / NS_PER_SECOND) * MS_PER_SECOND} ms in which its elements are counted.`,
      'Profile longer epochs, or the whole run.',
    );
  return range;
}

/** What a run's counters say of its operators. */
export const countedOperators = async (run: Run): Promise<CountedOperator[]> => operatorsOf(run, await countersOf(run));

function operatorsOf(run: Run, { rows, timeline }: RunCounters): CountedOperator[] {
  const { graph } = run.manifest;
  const stages = graph?.stages ?? [];
  // Over the steady part: before it, the code that times elements is not compiled yet, and takes many times as long.
  const rates = graph && runRates({ graph, host: machineOf(run.manifest), rows, timeline });
  const steady = new Map(rates?.operators.map(({ id, cpuDemand }) => [id, cpuDemand]));
  const isSteady = [...steady.values()].some(({ estimate }) => estimate > 0);
  return rows.operators.map(({ id, label, elementsIn, elementsOut, cpuNs, cpuIntervalNs }) => ({
    id,
    label,
    source: sourceOf(graph?.operators.find(operator => operator.id === id)?.location),
    rows: elementsIn || elementsOut,
    ...(isSteady ? timedBy(steady.get(id)) : { timedNs: cpuNs, timedIntervalNs: cpuIntervalNs }),
    isFused: stages.some(stage => stage.operators.length > 1 && stage.operators.includes(id)),
  }));
}

const sourceOf = (location: string | undefined): string | undefined =>
  location === undefined ? undefined : location.slice(location.search(/[^/\\]*$/));

const timedBy = (
  { estimate, low, high }: Pick<Interval, 'estimate' | 'low' | 'high'> = { estimate: 0, low: 0, high: 0 },
) => ({
  timedNs: estimate * NS_PER_SECOND,
  timedIntervalNs: [low * NS_PER_SECOND, high * NS_PER_SECOND] as const,
});
