import { type LoaderChanges, pythonLiteral } from '../../model/loader-changes.ts';
import type { LoaderSettings } from '../../model/loader-facts.ts';

/** Arguments of DataLoader that may stand without their name, in torch's order. */
export const POSITIONAL: readonly string[] = [
  'dataset',
  'batch_size',
  'shuffle',
  'sampler',
  'batch_sampler',
  'num_workers',
  'collate_fn',
  'pin_memory',
  'drop_last',
  'timeout',
  'worker_init_fn',
  'multiprocessing_context',
  'generator',
];

const major = (torch: string | undefined): number => Number.parseInt(torch ?? '', 10);

/**
 * Arguments that only a loader with workers may have: without them, its constructor or its iterator raises. `recorded`: the setting that shows
 * it, and its value in a loader that was not given the argument. `neutral`: Python source that is as good as none.
 */
const WORKERS_ONLY = {
  // Until torch 2 the prefetch factor was a number, workers or not.
  prefetch_factor: { recorded: ['prefetch_factor', 2], neutral: torch => (major(torch) < 2 ? '2' : 'None') },
  persistent_workers: { recorded: ['persistent_workers', false], neutral: () => 'False' },
  timeout: { recorded: ['timeout', 0], neutral: () => '0' },
  multiprocessing_context: { recorded: ['has_context', false], neutral: () => 'None' },
} as const satisfies Record<string, WorkerArgument>;
type WorkersOnly = keyof typeof WORKERS_ONLY;

interface WorkerArgument {
  readonly recorded: readonly [keyof LoaderSettings, unknown];
  neutral(torch: string | undefined): string;
}

/** Whether a recorded loader was given it. */
export type Had = 'yes' | 'no' | 'unknown';

function hadOf(name: WorkersOnly, settings: LoaderSettings | undefined, torch: string | undefined): Had {
  const [setting, absent] = WORKERS_ONLY[name].recorded;
  const value = settings?.[setting];
  if (value === undefined || value === null) return 'unknown';
  // Two is what workers have without it; from torch 2 on a given 2 makes a difference, and looks the same.
  if (name === 'prefetch_factor' && value === 2 && !(major(torch) < 2)) return 'unknown';
  return value === absent ? 'no' : 'yes';
}

/** Arguments to set, as Python source, and those to take away. */
export interface ArgumentChanges {
  readonly set: Readonly<Record<string, string>>;
  /** What only workers have; `neutral` is as good as nothing, where it cannot be taken away. */
  readonly drop: readonly { readonly name: WorkersOnly; readonly neutral: string; readonly had: Had }[];
}

/** `in_order` came with torch 2.6. */
export function isKnown(name: keyof LoaderChanges, torch: string | undefined): boolean {
  const [, minor] = (torch ?? '').split('.');
  return name !== 'in_order' || torch === undefined || major(torch) > 2 || (major(torch) === 2 && Number(minor) >= 6);
}

/** Changes that the constructor accepts: what only workers have goes with the last of them, and is not set where there are none. */
export function argumentChanges(
  changes: LoaderChanges,
  settings: LoaderSettings | undefined,
  torch: string | undefined,
): ArgumentChanges {
  const workers = changes.num_workers ?? settings?.num_workers ?? undefined;
  const set: Record<string, string> = {};
  for (const [name, value] of Object.entries(changes) as [keyof LoaderChanges, unknown][]) {
    if (value === undefined || !isKnown(name, torch)) continue;
    if (workers === 0 && Object.hasOwn(WORKERS_ONLY, name)) continue;
    set[name] = pythonLiteral(value);
  }
  const drop = changes.num_workers === 0 ? (Object.keys(WORKERS_ONLY) as WorkersOnly[]) : [];
  return {
    set,
    drop: drop.map(name => ({ name, neutral: WORKERS_ONLY[name].neutral(torch), had: hadOf(name, settings, torch) })),
  };
}

/** Changes on top of others; without workers there is nothing left of what only workers have. */
export function withChanges(earlier: LoaderChanges, later: LoaderChanges): LoaderChanges {
  const { prefetch_factor, persistent_workers, ...rest } = { ...earlier, ...later };
  if (rest.num_workers === 0) return rest;
  return {
    ...rest,
    ...(prefetch_factor === undefined ? {} : { prefetch_factor }),
    ...(persistent_workers === undefined ? {} : { persistent_workers }),
  };
}
