import { createHash } from 'node:crypto';
import { VenturiError } from '../../../model/errors.ts';
import { type PlacedNode, textOf } from '../../compile/graph.ts';
import type { Checkpoint } from '../../contract/checkpoint.ts';
import { isSeries } from '../../contract/source.ts';
import { identityOf } from '../cache/cache-key.ts';

/** Their settings say how much may be under way, and nothing about elements. */
const BUFFERS = new Set(['prefetch', 'transport']);

export const digest = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 32);

/** What the positions in a checkpoint rest on. */
export const graphDigest = (nodes: readonly PlacedNode[]): string =>
  digest(
    JSON.stringify(
      nodes.map(({ id, node, operator }) => [
        id,
        node.kind,
        operator.inputs,
        BUFFERS.has(node.kind) ? {} : node.settings,
        typeof node.call,
      ]),
    ),
  );

export const functionDigests = (nodes: readonly PlacedNode[]): Checkpoint['functions'] =>
  Object.fromEntries(nodes.flatMap(({ id, node }) => (node.call === undefined ? [] : [[id, digest(textOf(node))]])));

/** Of the sources that read files of this machine and nothing else. */
export function fileDigests(nodes: readonly PlacedNode[]): Checkpoint['files'] {
  return Object.fromEntries(
    nodes.flatMap(({ id, node: { source } }) => {
      if (source === undefined || isSeries(source) || source.files === undefined) return [];
      const hash = createHash('sha256');
      for (const path of source.files()) hash.update(`${identityOf(path, source.lenient)}\n`);
      return [[id, hash.digest('hex').slice(0, 32)]];
    }),
  );
}

/** Throws unless the checkpoint is one of this pipeline on the same data. */
export function checkIdentity(checkpoint: Checkpoint, nodes: readonly PlacedNode[], seed: number): void {
  if (graphDigest(nodes) !== checkpoint.graph) {
    throw differs(
      'it is of another pipeline, or of other settings or epochs',
      'resume the pipeline that was saved, as it was',
    );
  }
  if (seed !== checkpoint.seed) {
    throw differs(
      `it was saved with seed ${checkpoint.seed}, not ${seed}`,
      'leave the seed out, or give the one it had',
    );
  }
  const now = fileDigests(nodes);
  const changed = Object.entries(checkpoint.files).find(([id, files]) => now[id] !== files);
  if (changed === undefined) return;
  throw new VenturiError(
    'VENTURI_CHECKPOINT_STALE',
    `the files of '${changed[0]}' are not those that were there when the run was saved: names, sizes or times differ`,
    { remedy: 'give it the files it had then, or start from the beginning' },
  );
}

const differs = (what: string, remedy: string): VenturiError =>
  new VenturiError('VENTURI_CHECKPOINT_DIFFERS', `the checkpoint does not fit: ${what}`, { remedy });

/** Functions that are no longer what they were. That may be why the run is resumed: it is no failure. */
export function changedFunctions(checkpoint: Checkpoint, nodes: readonly PlacedNode[]): readonly string[] {
  const now = functionDigests(nodes);
  const changed = Object.keys(now).filter(id => now[id] !== checkpoint.functions[id]);
  if (changed.length === 0) return [];
  const names = changed.map(id => `'${id}'`).join(', ');
  return [
    `The function of ${names} is not the one with which the checkpoint was saved; what it makes from here on is.`,
  ];
}
