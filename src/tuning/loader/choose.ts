import { highest, sumOf } from '../../math/totals.ts';
import type { LoaderChanges } from '../../model/loader-changes.ts';
import type { LoaderSettings } from '../../model/loader-facts.ts';
import {
  forecastLoader,
  type LoaderForecast,
  type LoaderWhatIf,
  machineFor,
  ownError,
} from '../../prediction/loader/forecast.ts';
import type { LoaderProfile } from '../../prediction/loader/profile.ts';
import type { LoaderSetting } from '../../prediction/loader/setting.ts';
import { SLIGHT } from '../../prediction/loader/thresholds.ts';
import { WORTHWHILE } from '../../prediction/thresholds.ts';

/** The best setting of a loader, and its forecast. */
export interface LoaderChoice {
  /** Changes to the recorded program that it was chosen for. */
  readonly whatIf: LoaderWhatIf;
  readonly now: LoaderForecast;
  readonly best: LoaderForecast;
  /** Settings that differ between the two. Empty where nothing is worth a change. */
  readonly changes: LoaderChanges;
  /** Rate of the best / rate now. */
  readonly factor: number;
  /** The fastest that was tried, whether or not it fits. */
  readonly most: LoaderForecast;
  /** Reason why there cannot be more workers, which would be faster. */
  readonly heldBackBy: 'shared-memory' | 'memory' | 'stream' | undefined;
  /** Forecast for batches handed out as they arrive, where that is clearly faster. */
  readonly unordered: LoaderForecast | undefined;
}

/** Factor on throughput that is worth a change, at least. */
const WORTH = 1 + WORTHWHILE;
/** Workers that are tried, at most: each is a process of its own, with its memory. Judged. */
const MOST_WORKERS = 64;
/** Workers per core that are tried, at most: those that sleep may be more than there are cores. Judged. */
const WORKERS_PER_CORE = 4;

/** Numbers of workers worth trying: powers of two and the numbers midway. A machine with one core is tried like one with two. */
export function workerCounts(cores: number, recorded: number): number[] {
  const most = Math.min(MOST_WORKERS, Math.floor(WORKERS_PER_CORE * Math.max(2, cores)));
  const counts = new Set([0, 1, recorded]);
  for (let power = 2; power <= most; power *= 2) {
    counts.add(power);
    if (power + power / 2 <= most) counts.add(power + power / 2);
  }
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
    unordered: unordered !== undefined && rateOf(unordered) > WORTH * rateOf(best) ? unordered : undefined,
  };
}

/** Number of workers of the recording that shows what one without workers cannot. */
const SCOUTS = 2;

/**
 * A choice with few workers in place of many, where the recording has none: it does not show the cost of passing
 * batches between processes, nor that of a worker's preparation where a thread pool helped. A recording with a few
 * workers then shows how many it takes.
 */
export function careful(choice: LoaderChoice, profile: LoaderProfile): LoaderChoice {
  const { preparing, setting } = profile;
  // Sleep is the same in a worker.
  const isAsleep = sumOf(preparing, each => each.cpu) < SLIGHT * sumOf(preparing, ({ cpu, asleep }) => cpu + asleep);
  const isKnown = setting.workers > 0 || isAsleep;
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
  const most = fastest(tried, now);
  return { chosen: best.setting, most, isHeldBack: rateOf(most) > WORTH * rateOf(best) };
}

const rateOf = ({ rate }: LoaderForecast): number => rate.estimate;

const fastest = (forecasts: readonly LoaderForecast[], now: LoaderForecast): LoaderForecast =>
  highest(forecasts, rateOf) ?? now;

function withWorkers({ setting }: LoaderProfile, workers: number): LoaderSetting {
  return { ...setting, workers, persistent: setting.persistent && workers > 0 };
}

/** As it is, where that is about as good as anything. */
function fewest(forecasts: readonly LoaderForecast[], now: LoaderForecast): LoaderForecast {
  const enough = rateOf(fastest(forecasts, now)) / WORTH;
  if (rateOf(now) >= enough) return now;
  return forecasts.find(each => rateOf(each) >= enough) ?? now;
}

/** The queue is doubled for as long as that is worth it and there is memory for it. */
function betterQueue(chosen: LoaderForecast, forecast: (setting: LoaderSetting) => LoaderForecast): LoaderForecast {
  const { workers, prefetch } = chosen.setting;
  if (workers === 0) return chosen;
  const longer = forecast({ ...chosen.setting, prefetch: 2 * prefetch });
  const isWorthIt = longer.memory.short === undefined && rateOf(longer) > WORTH * rateOf(chosen);
  return isWorthIt ? betterQueue(longer, forecast) : chosen;
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
