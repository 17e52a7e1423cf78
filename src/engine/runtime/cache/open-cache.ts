import { rmSync } from 'node:fs';
import type { PlacedNode } from '../../compile/graph.ts';
import type { ExecutionPlan } from '../../compile/stages.ts';
import { CacheInput, type CacheParts } from './cache-input.ts';
import { filesOf } from './cache-key.ts';
import { Damage } from './cache-record.ts';
import type { ChunkStore } from './chunk-store.ts';
import { type DiskCache, pathOf } from './disk-cache.ts';
import { damaged } from './disk-failure.ts';
import { FileDraft } from './file-draft.ts';
import { KeptFile } from './kept-file.ts';
import { MemoryStore } from './memory-store.ts';

/** `disk`: where it is kept; undefined: in memory, up to the run's budget of `memory` unless it has a limit. */
export function openCache(
  plan: ExecutionPlan,
  placed: PlacedNode,
  parts: Pick<CacheParts, 'port' | 'passes' | 'saved'>,
  disk: DiskCache | undefined,
  memory: number,
): CacheInput {
  const most = disk === undefined ? memory : Number.POSITIVE_INFINITY;
  const limit = Number(placed.node.settings.limit ?? most);
  return new CacheInput({ ...parts, id: placed.id, limit, open: () => openStore(plan, placed, disk) });
}

function openStore(plan: ExecutionPlan, placed: PlacedNode, disk: DiskCache | undefined): ChunkStore {
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
