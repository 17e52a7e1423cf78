import type { LoaderSettings } from '../../model/loader-facts.ts';
import type { LoaderChanges } from '../../model/loader-finding.ts';

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

/** Python source of a value. */
export const literal = (value: unknown): string =>
  value === true ? 'True' : value === false ? 'False' : value === null ? 'None' : String(value);

/** What only a loader with workers may have. Without them, its constructor or its iterator raises. */
const WORKERS_ONLY = ['prefetch_factor', 'persistent_workers', 'timeout', 'multiprocessing_context'] as const;
type WorkersOnly = (typeof WORKERS_ONLY)[number];

const major = (torch: string | undefined): number => Number.parseInt(torch ?? '', 10);

/** As if it had not been given. Until torch 2 the prefetch factor was a number, workers or not. */
function neutralOf(name: WorkersOnly, torch: string | undefined): string {
  switch (name) {
    case 'prefetch_factor':
      return major(torch) < 2 ? '2' : 'None';
    case 'persistent_workers':
      return 'False';
    case 'timeout':
      return '0';
    case 'multiprocessing_context':
      return 'None';
  }
}

/** Whether a recorded loader was given it. */
export type Had = 'yes' | 'no' | 'unknown';

function hadOf(name: WorkersOnly, settings: LoaderSettings | undefined, torch: string | undefined): Had {
  const had = (value: unknown, neutral: unknown): Had =>
    value === undefined || value === null ? 'unknown' : value === neutral ? 'no' : 'yes';
  switch (name) {
    case 'prefetch_factor':
      // Two is what workers have without it; from torch 2 on a given 2 makes a difference, and looks the same.
      return settings?.prefetch_factor === 2 && !(major(torch) < 2) ? 'unknown' : had(settings?.prefetch_factor, 2);
    case 'persistent_workers':
      return had(settings?.persistent_workers, false);
    case 'timeout':
      return had(settings?.timeout, 0);
    case 'multiprocessing_context':
      return had(settings?.has_context, false);
  }
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
    if (workers === 0 && (WORKERS_ONLY as readonly string[]).includes(name)) continue;
    set[name] = literal(value);
  }
  const drop = changes.num_workers === 0 ? WORKERS_ONLY : [];
  return {
    set,
    drop: drop.map(name => ({ name, neutral: neutralOf(name, torch), had: hadOf(name, settings, torch) })),
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
