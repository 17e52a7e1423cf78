import type { Batch } from '../../analysis/batches/batch.ts';
import type { Host } from '../../model/host.ts';
import type { LoaderSettings } from '../../model/loader-facts.ts';
import { FEWEST_BATCHES } from './blocks.ts';
import { SLIGHT } from './thresholds.ts';

/** Settings of a loader that its throughput depends on. */
export interface LoaderSetting {
  readonly workers: number;
  /** Batches ordered ahead per worker. */
  readonly prefetch: number;
  readonly pinned: boolean;
  readonly persistent: boolean;
  readonly inOrder: boolean;
}

/** Default of torch. */
export const USUAL_PREFETCH = 2;

/**
 * Batches at the beginning of a recording that are warm-up, as their steps load kernels and fill caches: a slight part, and no more than
 * the smallest block has.
 */
export const warmUp = (batches: number): number => Math.min(FEWEST_BATCHES, Math.floor(SLIGHT * batches));

/** Batches at the beginning of a pass that are left out: workers begin together, so the first batches of each arrive together. */
export const settling = (workers: number, batches: number): number => Math.min(workers, batches >> 2);

export const settingOf = (settings: LoaderSettings | undefined, batches: readonly Batch[]): LoaderSetting => ({
  workers: settings?.num_workers ?? new Set(batches.map(batch => batch.preparer)).size,
  prefetch: settings?.prefetch_factor ?? USUAL_PREFETCH,
  pinned: settings?.pin_memory === true && batches.some(batch => batch.pinStart >= 0),
  persistent: settings?.persistent_workers === true,
  inOrder: settings?.in_order !== false,
});

/** Start method of Python processes: a copy of the parent (fork), or a new process that imports everything again. */
export type StartMethod = 'fork' | 'spawn' | 'forkserver';

/** Minor version of Python 3 from which on the fork server is the default on Linux. Source: documentation of `multiprocessing`. */
const FORK_SERVER_SINCE = 14;

/** The recorded start method where there were workers, else the default of this Python. */
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
