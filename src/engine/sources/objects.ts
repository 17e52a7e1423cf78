import { createHash } from 'node:crypto';
import { type OperatorOptions, type Pipeline, sourcePipeline } from '../api/pipeline.ts';
import { addressOf } from '../storage/http-address.ts';
import {
  HttpClient,
  type HttpOptions,
  type HttpSettings,
  httpSettings,
  type Patience,
} from '../storage/http-client.ts';
import { HttpObject } from '../storage/http-object.ts';
import { manifestUrls, type Urls } from './objects-manifest.ts';
import type { SourceContext, SourceReader } from './source.ts';

/** An object with all its bytes. */
export interface RemoteObject {
  readonly url: string;
  readonly bytes: Uint8Array;
}

/** A text file that names an object on every line. */
export interface Manifest {
  /** Its path, or its own http:, https: or s3: address. */
  readonly manifest: string;
}

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
  const settings = { ...describeWhere(where), ...http };
  const open = (context: SourceContext): SourceReader => new ObjectReader(where, http, context);
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

const isManifest = (where: string | readonly string[] | Manifest): where is Manifest =>
  typeof where === 'object' && 'manifest' in where;

const isAddress = (text: string): boolean => /^(https?|s3):\/\//.test(text);

const listOf = (where: string | readonly string[]): readonly string[] => (typeof where === 'string' ? [where] : where);

/** An object on its way, and what tells it that it is the next to be handed out. */
interface Underway {
  readonly url: string;
  readonly bytes: Promise<Uint8Array>;
  readonly begin: () => void;
  /** It has come, or never will. */
  settled: boolean;
}

export class ObjectReader implements SourceReader {
  readonly #client: HttpClient;
  readonly #abort = new AbortController();
  readonly #where: string | readonly string[] | Manifest;
  readonly #underway: Underway[] = [];
  #urls: Urls | undefined;

  constructor(
    where: string | readonly string[] | Manifest,
    settings: HttpSettings,
    { signal }: SourceContext,
    patience?: Patience,
  ) {
    this.#where = where;
    this.#client = new HttpClient(settings, AbortSignal.any([signal, this.#abort.signal]), patience);
  }

  async read(into: unknown[], limit: number): Promise<number> {
    this.#urls ??= await this.#open();
    for (let read = 0; read < limit; read++) {
      this.#fetchAhead(this.#urls);
      const next = this.#underway[0];
      // What is here is handed on at once rather than held until more has come.
      if (next === undefined || (read > 0 && !next.settled)) return read;
      next.begin();
      const bytes = await next.bytes;
      this.#underway.shift();
      into.push({ url: next.url, bytes } satisfies RemoteObject);
    }
    return limit;
  }

  async #open(): Promise<Urls> {
    const where = this.#where;
    if (isManifest(where)) {
      const { manifest } = where;
      const whole = isAddress(manifest)
        ? new HttpObject(manifest, this.#client).readWhole(Promise.resolve())
        : undefined;
      return manifestUrls(manifest, await whole);
    }
    const list = listOf(where);
    let next = 0;
    return {
      next: () => list[next++],
      done: () => Math.min(1, next / Math.max(1, list.length)),
      close: () => undefined,
    };
  }

  #fetchAhead(urls: Urls): void {
    while (this.#underway.length < this.#client.settings.concurrency) {
      const url = urls.next();
      if (url === undefined) return;
      let begin = (): void => undefined;
      const turn = new Promise<void>(resolve => {
        begin = resolve;
      });
      const bytes = new HttpObject(url, this.#client).readWhole(turn);
      const underway: Underway = { url, bytes, begin, settled: false };
      const settle = (): void => {
        underway.settled = true;
      };
      // A failure is told when the object's turn has come.
      bytes.then(settle, settle);
      this.#underway.push(underway);
    }
  }

  done(): number | undefined {
    return this.#urls?.done();
  }

  close(): void {
    this.#abort.abort();
    for (const { begin } of this.#underway) begin();
    this.#client.close();
    this.#urls?.close();
  }
}
