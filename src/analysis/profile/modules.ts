import { ENGINE_FILES } from '../../model/frame-names.ts';

/** Part of the engine that a module of ours is, as far as a sample in it tells; `origin`: it makes the elements of the stage's first operator. */
export type ModulePart = { readonly task: string; readonly isOrigin: boolean };

const part = (task: string, isOrigin = false): ModulePart => ({ task, isOrigin });

/** By the beginning of a module's name; the first that fits. Others, and `io/`, serve whoever calls them. */
const PARTS: readonly (readonly [string, ModulePart])[] = [
  ['engine/runtime/stage/source-input', part('read', true)],
  ['engine/runtime/cache/', part('cache', true)],
  ['engine/runtime/joins/', part('join', true)],
  ['engine/runtime/interleave/', part('open', true)],
  ['engine/sources/', part('read', true)],
  ['engine/runtime/chunk/', part('encoding')],
  ['engine/runtime/ring/', part('hand-over')],
  ['engine/runtime/checkpoint/', part('checkpoints')],
  ['engine/runtime/calls/', part('calls')],
  ['engine/relational/', part('query')],
  ['engine/', part('lane')],
  ['probes/', part('recording')],
  ['store/', part('recording')],
];

/** Undefined for a file that is not ours, or serves whoever calls it. */
export function partOf(file: string): ModulePart | undefined {
  if (!file.startsWith(ENGINE_FILES)) return undefined;
  const module = file.slice(ENGINE_FILES.length);
  return PARTS.find(([prefix]) => module.startsWith(prefix))?.[1];
}
