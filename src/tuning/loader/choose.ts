import type { LoaderSettings } from '../../model/loader-facts.ts';
import type { LoaderChanges } from '../../model/loader-finding.ts';
import {
  forecastLoader,
  type LoaderForecast,
  type LoaderWhatIf,
  machineFor,
  ownError,
} from '../../prediction/loader/forecast.ts';
import type { LoaderProfile, Preparing } from '../../prediction/loader/profile.ts';
import type { LoaderSetting } from '../../prediction/loader/setting.ts';

/** How a loader is best set, and what that leads to. */
export interface LoaderChoice {
  /** What it was chosen for. */
  readonly whatIf: LoaderWhatIf;
  readonly now: LoaderForecast;
  readonly best: LoaderForecast;
  /** What differs between the two. Empty where nothing is worth a change. */
  readonly changes: LoaderChanges;
  /** Rate of the best over the rate now. */
  readonly factor: number;
  /** The fastest that was tried, whether or not it fits. */
  readonly most: LoaderForecast;
  /** More workers would be faster, but for this. */
  readonly heldBackBy: 'shared-memory' | 'memory' | 'stream' | undefined;
  /** What handing batches out as they come would lead to, where that is clearly more. */
  readonly unordered: LoaderForecast | undefined;
}

/** Worth a change: less than this lies within what a forecast is off by. */
const WORTH = 1.03;
/** Batches in another order are worth more than that. */
const WORTH_DISORDER = 1.05;
const MOST_WORKERS = 64;
/** Workers that sleep may be more than there are cores. */
const WORKERS_PER_CORE = 4;
const FEWEST_TRIED = 8;
const PREFETCHES = [2, 4, 8] as const;

/** Numbers of workers worth trying: all small ones, then in steps of about a third. */
export function workerCounts(cores: number, recorded: number): number[] {
  const most = Math.min(MOST_WORKERS, Math.max(FEWEST_TRIED, Math.floor(cores * WORKERS_PER_CORE)));
  const counts = new Set([0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64].filter(count => count <= most));
  counts.add(recorded);
  return [...counts].sort((a, b) => a - b);
}

/** The fewest workers and the shortest queue that reach what can be reached, within memory. */
export function chooseSetting(
  profile: LoaderProfile,
  settings: LoaderSettings | undefined,
  whatIf: LoaderWhatIf = {},
): LoaderChoice {
  const offBy = ownError(profile);
  const forecast = (setting: LoaderSetting): LoaderForecast => forecastLoader(profile, setting, whatIf, offBy);
  const now = forecast(profile.setting);
  const { chosen, most, isHeldBack } = selected(profile, settings, whatIf);
  const candidate = chosen === profile.setting ? now : forecast(chosen);
  const best = rateOf(candidate) > WORTH * rateOf(now) ? candidate : now;
  const unordered =
    profile.setting.inOrder && best.setting.workers > 1 ? forecast({ ...best.setting, inOrder: false }) : undefined;
  return {
    whatIf,
    now,
    best,
    changes: changesOf(profile, best.setting),
    factor: rateOf(best) / rateOf(now),
    most,
    heldBackBy: isHeldBack ? most.memory.short : settings?.stream && best.bound === 'workers' ? 'stream' : undefined,
    unordered: unordered !== undefined && rateOf(unordered) > WORTH_DISORDER * rateOf(best) ? unordered : undefined,
  };
}

/** So many workers show what a recording without any cannot. */
const SCOUTS = 2;
/** Preparation that mostly sleeps does so in a worker too. */
const ASLEEP = 0.8;

/**
 * A recording without workers knows nothing of handing batches over, and little of what a worker needs where a pool of threads helped.
 * So of many workers only a few are tried at first: a recording with those tells how many it takes.
 */
export function careful(choice: LoaderChoice, profile: LoaderProfile): LoaderChoice {
  const sum = (of: (each: Preparing) => number): number => profile.preparing.reduce((all, each) => all + of(each), 0);
  const isKnown =
    profile.setting.workers > 0 || sum(({ asleep }) => asleep) > ASLEEP * sum(({ cpu, asleep }) => cpu + asleep);
  if (isKnown || choice.best.setting.workers <= SCOUTS) return choice;
  const best = forecastLoader(profile, { ...choice.best.setting, workers: SCOUTS }, choice.whatIf);
  return {
    ...choice,
    best,
    changes: { ...choice.changes, num_workers: SCOUTS },
    factor: rateOf(best) / rateOf(choice.now),
  };
}

/**
 * Where other programs want the cores too, more workers get more of them at the others' expense. So a setting is selected as
 * for a machine without them, and judged beside them.
 */
function selected(recorded: LoaderProfile, settings: LoaderSettings | undefined, whatIf: LoaderWhatIf) {
  const profile = { ...recorded, machine: { ...recorded.machine, others: 0, ownShare: undefined } };
  const forecast = (setting: LoaderSetting): LoaderForecast => forecastLoader(profile, setting, whatIf, 1);
  const now = forecast(recorded.setting);
  const isStream = settings?.stream === true;
  const counts = isStream
    ? [profile.setting.workers]
    : workerCounts(machineFor(profile, whatIf).cores, profile.setting.workers);
  const tried = counts.map(workers =>
    workers === profile.setting.workers ? now : forecast(withWorkers(profile, workers)),
  );
  const fits = tried.filter(each => each.memory.short === undefined || each === now);
  const best = lasting(profile, whatIf, betterQueue(fewest(fits, now), forecast), forecast);
  const most = fastest(tried);
  return { chosen: best.setting, most, isHeldBack: rateOf(most) > WORTH * rateOf(best) };
}

const rateOf = ({ rate }: LoaderForecast): number => rate.estimate;

const fastest = (forecasts: readonly LoaderForecast[]): LoaderForecast =>
  forecasts.reduce((most, each) => (rateOf(each) > rateOf(most) ? each : most));

function withWorkers({ setting }: LoaderProfile, workers: number): LoaderSetting {
  return { ...setting, workers, persistent: setting.persistent && workers > 0, pinned: setting.pinned };
}

/** As it is, where that is about as good as anything. */
function fewest(forecasts: readonly LoaderForecast[], now: LoaderForecast): LoaderForecast {
  const enough = rateOf(fastest(forecasts)) / WORTH;
  if (rateOf(now) >= enough) return now;
  return forecasts.find(each => rateOf(each) >= enough) ?? now;
}

function betterQueue(chosen: LoaderForecast, forecast: (setting: LoaderSetting) => LoaderForecast): LoaderForecast {
  if (chosen.setting.workers === 0) return chosen;
  return PREFETCHES.filter(prefetch => prefetch > chosen.setting.prefetch)
    .map(prefetch => forecast({ ...chosen.setting, prefetch }))
    .filter(each => each.memory.short === undefined)
    .reduce((best, each) => (rateOf(each) > WORTH * rateOf(best) ? each : best), chosen);
}

/** Workers that stay from one pass to the next, where there is a next and starting them takes a part of each. */
function lasting(
  { passes, epochs = passes }: LoaderProfile,
  { epochs: asked = epochs }: LoaderWhatIf,
  chosen: LoaderForecast,
  forecast: (setting: LoaderSetting) => LoaderForecast,
): LoaderForecast {
  if (chosen.setting.workers === 0 || chosen.setting.persistent || asked < 2) return chosen;
  const kept = forecast({ ...chosen.setting, persistent: true });
  return rateOf(kept) > WORTH * rateOf(chosen) ? kept : chosen;
}

function changesOf({ setting: from }: LoaderProfile, to: LoaderSetting): LoaderChanges {
  return {
    ...(to.workers === from.workers ? {} : { num_workers: to.workers }),
    ...(to.workers === 0 || to.prefetch === from.prefetch ? {} : { prefetch_factor: to.prefetch }),
    ...(to.persistent && !from.persistent ? { persistent_workers: true } : {}),
  };
}
