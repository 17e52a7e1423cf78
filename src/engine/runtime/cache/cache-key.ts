import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { endianness } from 'node:os';
import { resolve } from 'node:path';
import { serialize } from 'node:v8';
import { systemPath } from '../../../files/path-bytes.ts';
import { unreadable } from '../../../io/input/file-reader.ts';
import { VenturiError } from '../../../model/errors.ts';
import { fingerprint, type PlacedNode } from '../../compile/graph.ts';
import { isPerWorker } from '../../compile/node.ts';
import type { Topology } from '../../compile/topology.ts';
import { isSeries, type SourceSpec } from '../../contract/source.ts';
import { codecsDigest, LAYOUT_VERSION } from '../chunk/index.ts';
import { KEY_CHARACTERS } from './cache-record.ts';

export interface KeyParts {
  readonly params: Readonly<Record<string, unknown>>;
  readonly seed: number;
}

/** What the elements depend on, except for the files: other code, parameters or seed make another key. */
export function cacheKey(topology: Topology, cache: PlacedNode, files: string, { params, seed }: KeyParts): string {
  const upstream = topology.upstream(cache);
  const hash = createHash('sha256');
  hash.update(
    JSON.stringify([
      [LAYOUT_VERSION, process.versions.v8, endianness(), codecsDigest()],
      fingerprint(upstream),
      cache.node.settings.version ?? '',
      upstream.some(isRandom) ? seed : '',
      files,
    ]),
  );
  hash.update(serialized(cache.id, params));
  return hash.digest('hex').slice(0, KEY_CHARACTERS);
}

/** What it gives may depend on the run's seed. */
function isRandom({ node: { kind, call, madeOf, settings } }: PlacedNode): boolean {
  if (kind === 'shuffle') return settings.seed === undefined;
  // Nobody knows what the pipelines are that its elements open.
  if (kind === 'interleave') return true;
  return call !== undefined && madeOf === undefined && (isPerWorker(call) || call.length >= 2);
}

function serialized(id: string, params: KeyParts['params']): string {
  try {
    return JSON.stringify(canonical(params));
  } catch (cause) {
    throw new VenturiError('VENTURI_CACHE_UNKEYED', `'${id}' cannot tell this run's parameters from others`, {
      cause,
      remedy: 'give parameters that are plain data, or keep the elements in memory: cache() without a folder',
    });
  }
}

/**
 * The same for equal values, whatever the order of their properties. V8's serializer alone would not do: it writes 1 in two ways, by how the object
 * that holds it was made.
 */
function canonical(value: unknown): unknown {
  if (typeof value === 'number') return ['number', Object.is(value, -0) ? '-0' : String(value)];
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value;
  if (Array.isArray(value)) return ['array', value.map(canonical)];
  if (typeof value === 'object' && Object.getPrototypeOf(value) === Object.prototype) {
    const sorted = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    return ['object', sorted.map(([key, each]) => [key, canonical(each)])];
  }
  return ['other', serialize(value).toString('base64')];
}

/** The files that sources upstream of `cache` read, by path, size and time of their last change. */
export function filesOf(topology: Topology, cache: PlacedNode): string {
  const hash = createHash('sha256');
  for (const { id, node } of topology.upstream(cache)) {
    const { source, kind } = node;
    const opens = kind === 'interleave';
    if (!opens && (source === undefined || isSeries(source))) continue;
    hash.update(`${id}\n`);
    for (const path of pathsOf(id, opens ? undefined : source, cache)) {
      hash.update(`${identityOf(path, isLenient(source))}\n`);
    }
  }
  return hash.digest('hex');
}

/** No source: it opens others, which cannot be known beforehand. */
function pathsOf(id: string, source: SourceSpec | undefined, cache: PlacedNode): Iterable<string> {
  if (source !== undefined && !isSeries(source) && source.files !== undefined) return source.files();
  if (cache.node.settings.version !== undefined) return [];
  throw new VenturiError(
    'VENTURI_CACHE_UNKEYED',
    `'${cache.id}' cannot tell whether the elements of '${id}' are those of an earlier run`,
    {
      remedy:
        'give the cache a version, cache({ folder, version: 1 }), and another one whenever the data changes; or keep the elements in memory: cache() without a folder',
    },
  );
}

const isLenient = (source: SourceSpec | undefined): boolean =>
  source !== undefined && !isSeries(source) && source.lenient === true;

/** A file by its path, size and time of its last change. `lenient`: one that cannot be looked at is known by that. */
export function identityOf(path: string, lenient = false): string {
  try {
    const { size, mtimeNs } = statSync(systemPath(path), { bigint: true });
    return JSON.stringify([resolve(path), `${size}`, `${mtimeNs}`]);
  } catch (error) {
    if (lenient) return JSON.stringify([resolve(path), (error as NodeJS.ErrnoException).code]);
    throw unreadable(path, error);
  }
}
