import { rmSync } from 'node:fs';
import type { PlacedNode } from '../../compile/graph.ts';
import type { ExecutionPlan } from '../../compile/stages.ts';
import type { Port } from '../joins/port.ts';
import type { Passes, SavedPasses } from '../stage/pass-counter.ts';
import { CacheInput } from './cache-input.ts';
import { filesOf } from './cache-key.ts';
import type { CachePlan } from './cache-plan.ts';
import { Damage } from './cache-record.ts';
import type { ChunkStore } from './chunk-store.ts';
import { pathOf } from './disk-cache.ts';
import { damaged } from './disk-failure.ts';
import { FileDraft } from './file-draft.ts';
import { KeptFile } from './kept-file.ts';
import { MemoryStore } from './memory-store.ts';

export interface CacheSettings {
  readonly disks: CachePlan['disks'];
  /** The run's memory budget. */
  readonly memory: number;
}

export function openCache(
  plan: ExecutionPlan,
  placed: PlacedNode,
  port: Port,
  passes: Passes,
  { disks, memory }: CacheSettings,
  saved: SavedPasses | undefined,
): CacheInput {
  const isOnDisk = disks[placed.id] !== undefined;
  return new CacheInput({
    id: placed.id,
    port,
    passes,
    saved,
    open: () => openStore(plan, placed, disks),
    limit: Number(placed.node.settings.limit ?? (isOnDisk ? Number.POSITIVE_INFINITY : memory)),
  });
}

function openStore(plan: ExecutionPlan, placed: PlacedNode, disks: CacheSettings['disks']): ChunkStore {
  const disk = disks[placed.id];
  if (disk === undefined) return new MemoryStore();
  if (!disk.whole) return new FileDraft(disk, () => filesOf(plan.topology, placed) === disk.files);
  return openKept(pathOf(disk), disk.key);
}

/** It was looked at when the run began; something may have happened to it since. */
function openKept(path: string, key: string): KeptFile {
  try {
    const kept = KeptFile.open(path, key);
    if (kept !== undefined) return kept;
  } catch (error) {
    if (!(error instanceof Damage)) throw error;
    rmSync(path, { force: true });
    throw damaged(path, error);
  }
  throw damaged(path, new Error('it was removed while the run started'));
}
