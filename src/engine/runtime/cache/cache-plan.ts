import { rmSync } from 'node:fs';
import type { PlacedNode } from '../../compile/graph.ts';
import { type ExecutionPlan, inputsOf } from '../../compile/stages.ts';
import { cacheKey, filesOf, type KeyParts } from './cache-key.ts';
import { Damage } from './cache-record.ts';
import { type DiskCache, pathOf } from './disk-cache.ts';
import { KeptFile } from './kept-file.ts';

/** What is known of a run's caches on disk before it starts. Plain data. */
export interface CachePlan {
  /** By the operator's id. */
  readonly disks: Readonly<Record<string, DiskCache>>;
  /** Stages that lead to caches only which are there already: they need not run. */
  readonly idle: ReadonlySet<number>;
  readonly warnings: readonly string[];
}

/** Finds out which caches of a plan are on disk. */
export function planCaches(plan: ExecutionPlan, parts: KeyParts): CachePlan {
  const warnings: string[] = [];
  const disks: Record<string, DiskCache> = {};
  for (const placed of plan.nodes) {
    const { kind, settings } = placed.node;
    if (kind !== 'cache' || typeof settings.folder !== 'string') continue;
    const files = filesOf(plan.topology, placed);
    const key = cacheKey(plan.topology, placed, files, parts);
    const folder = settings.folder;
    disks[placed.id] = { folder, key, files, whole: isThere(placed, pathOf({ folder, key }), key, warnings) };
  }
  return { disks, idle: idleStages(plan, disks), warnings };
}

function isThere({ id }: PlacedNode, path: string, key: string, warnings: string[]): boolean {
  try {
    const kept = KeptFile.open(path, key);
    kept?.close();
    return kept !== undefined;
  } catch (error) {
    if (!(error instanceof Damage)) throw error;
    rmSync(path, { force: true });
    warnings.push(`'${id}' is made anew: ${path} was damaged (${error.message}) and has been removed`);
    return false;
  }
}

function idleStages(plan: ExecutionPlan, disks: CachePlan['disks']): ReadonlySet<number> {
  const idle = new Set(plan.stages.keys());
  const need = (stage: number): void => {
    if (!idle.delete(stage)) return;
    if (disks[plan.stages[stage]?.nodes[0]?.id ?? '']?.whole === true) return;
    for (const link of inputsOf(plan, stage)) need(plan.links[link]?.from ?? -1);
  };
  need(plan.stages.length - 1);
  return idle;
}
