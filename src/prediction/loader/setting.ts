import type { Batch } from '../../analysis/batches/batch.ts';
import type { Host } from '../../model/host.ts';
import type { LoaderSettings } from '../../model/loader-facts.ts';

/** How a loader is set, as far as its speed depends on it. */
export interface LoaderSetting {
  readonly workers: number;
  /** Batches ordered ahead per worker. */
  readonly prefetch: number;
  readonly pinned: boolean;
  readonly persistent: boolean;
  readonly inOrder: boolean;
}

/** What torch takes where a program says nothing. */
export const USUAL_PREFETCH = 2;

const WARM_UP_PART = 0.1;
const MOST_WARM_UP = 5;

/** Batches at the beginning of a recording that are warm-up: their steps load kernels and fill caches. */
export const warmUp = (batches: number): number => Math.min(MOST_WARM_UP, Math.floor(batches * WARM_UP_PART));

/** Batches at the beginning of a pass that say little: workers begin together, so the first of each come together. */
export const settling = (workers: number, batches: number): number => Math.min(workers, batches >> 2);

export const settingOf = (settings: LoaderSettings | undefined, batches: readonly Batch[]): LoaderSetting => ({
  workers: settings?.num_workers ?? new Set(batches.map(batch => batch.preparer)).size,
  prefetch: settings?.prefetch_factor ?? USUAL_PREFETCH,
  pinned: settings?.pin_memory === true && batches.some(batch => batch.pinStart >= 0),
  persistent: settings?.persistent_workers === true,
  inOrder: settings?.in_order !== false,
});

/** How Python starts a process: a copy of the one that asks, or a new one that imports everything again. */
export type StartMethod = 'fork' | 'spawn' | 'forkserver';

/** Of Python 3.14 and newer, on Linux. */
const FORK_SERVER_SINCE = 14;

/** As recorded, where there were workers; else what this Python does where a program says nothing. */
export function startMethodOf(
  settings: LoaderSettings | undefined,
  { platform }: Pick<Host, 'platform'>,
  python: string | undefined,
): StartMethod {
  const said = settings?.start_method;
  if (said === 'fork' || said === 'spawn' || said === 'forkserver') return said;
  if (platform !== 'linux') return 'spawn';
  const minor = Number(/^3\.(\d+)/.exec(python ?? '')?.[1] ?? 0);
  return minor >= FORK_SERVER_SINCE ? 'forkserver' : 'fork';
}
