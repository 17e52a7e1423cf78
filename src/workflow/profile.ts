import type { CountedOperator } from '../analysis/profile/sharing.ts';
import { summariseProfile } from '../analysis/profile/summary.ts';
import { OperatorSummary } from '../analysis/rates/operators.ts';
import { runRates } from '../analysis/rates/rates.ts';
import { TimelineFold } from '../analysis/timeline.ts';
import type { Interval } from '../math/statistics.ts';
import { VenturiError } from '../model/errors.ts';
import { machineOf } from '../model/host.ts';
import { NS_PER_SECOND } from '../model/units.ts';
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
}

/** Who had the lanes of a run that was recorded with `venturi profile`. */
export async function profileRun(path: string, { from, to }: ProfileRequest = {}): Promise<Profile> {
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
  const range = {
    start: Number(BigInt(run.manifest.start)),
    from: from === undefined ? undefined : from * NS_PER_SECOND,
    to: to === undefined ? undefined : to * NS_PER_SECOND,
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
  const summary = summariseProfile(profile, await countedOperators(run), range);
  return {
    schemaVersion: 1,
    name: run.manifest.name,
    folder: run.folder,
    fromSeconds: from,
    toSeconds: to,
    ...summary,
    problems: [...run.problems, ...problems],
  };
}

/** What a run's counters say of its operators. */
export async function countedOperators(run: Run): Promise<CountedOperator[]> {
  const summary = new OperatorSummary();
  const timeline = new TimelineFold();
  const latest = new LatestMoment();
  await foldRecords(run.records(), [summary, timeline, latest]);
  const { graph } = run.manifest;
  const rows = summary.result(graph, latest.endOf(run.manifest));
  const stages = graph?.stages ?? [];
  // Over the steady part: before it, the code that times elements is not compiled yet, and takes many times as long.
  const rates = graph && runRates({ graph, host: machineOf(run.manifest), rows, timeline: timeline.result() });
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
