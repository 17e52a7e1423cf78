import { createHash } from 'node:crypto';
import { addressOf } from '../../io/storage/http-address.ts';
import { type HttpOptions, httpSettings } from '../../io/storage/http-settings.ts';
import { isAddress, isManifest, listOf, type Manifest, type RemoteObject } from '../../io/storage/remote-object.ts';
import type { SourceContext, SourceReader } from '../contract/source.ts';
import type { OperatorOptions } from '../description/operator-options.ts';
import { type Pipeline, sourcePipeline } from '../description/pipeline.ts';

export type ObjectsOptions = OperatorOptions & HttpOptions;

/**
 * Objects over HTTP or from S3 (`s3://bucket/key`, with the credentials of the environment), whole, in the order given.
 * The next ones are fetched ahead, `concurrency` requests at a time; objects of more than one part are held whole only
 * when it is their turn.
 */
export function objects(
  where: string | readonly string[] | Manifest,
  options: ObjectsOptions = {},
): Pipeline<RemoteObject> {
  const http = httpSettings('objects', options);
  const { concurrency, partBytes, retries, timeoutMs } = http;
  // Limits say when to give up: with others the elements are the same.
  const settings = { ...describeWhere(where), concurrency, partBytes, retries, timeoutMs };
  // Loaded by those who use it: an HTTP client is more than most pipelines need.
  const open = async (context: SourceContext): Promise<SourceReader> => {
    const { ObjectReader } = await import('./object-reader.ts');
    return new ObjectReader(where, http, context);
  };
  return sourcePipeline('objects', settings, open, options);
}

/** What a recording may hold: addresses without what may be secret in them, and a few only. */
function describeWhere(where: string | readonly string[] | Manifest): Readonly<Record<string, unknown>> {
  if (isManifest(where))
    return { manifest: isAddress(where.manifest) ? addressOf(where.manifest).shown : where.manifest };
  const shown = listOf(where).map(url => addressOf(url).shown);
  const digest = createHash('sha256').update(shown.join('\n')).digest('hex').slice(0, 16);
  return { count: shown.length, first: shown.slice(0, 3), digest };
}
