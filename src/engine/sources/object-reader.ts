import { HttpClient, type Patience } from '../../io/storage/http-client.ts';
import { HttpObject } from '../../io/storage/http-object.ts';
import { fitHttp, type HttpSettings, type ObjectLimits, objectLimits } from '../../io/storage/http-settings.ts';
import { manifestUrls, type Urls } from '../../io/storage/objects-manifest.ts';
import { isAddress, isManifest, listOf, type Manifest, type RemoteObject } from '../../io/storage/remote-object.ts';
import type { SourceContext, SourceReader } from '../contract/source.ts';

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
  readonly #limits: ObjectLimits;
  readonly #abort = new AbortController();
  readonly #where: string | readonly string[] | Manifest;
  readonly #underway: Underway[] = [];
  #urls: Urls | undefined;
  /** Objects handed out in this pass, those before it was resumed included. */
  #given: number;

  constructor(
    where: string | readonly string[] | Manifest,
    settings: HttpSettings,
    { signal, memory, budget, relieve, from }: SourceContext,
    patience?: Patience,
  ) {
    this.#where = where;
    this.#given = typeof from === 'number' ? from : 0;
    this.#limits = objectLimits(settings, budget);
    // The rest is for the object whose turn it is, and the one that was handed out before it.
    const fitted = fitHttp(settings, memory / 4);
    this.#client = new HttpClient(fitted, AbortSignal.any([signal, this.#abort.signal]), patience, relieve);
  }

  async read(into: unknown[], limit: number): Promise<number> {
    this.#urls ??= passingOver(await this.#open(), this.#given);
    for (let read = 0; read < limit; read++) {
      this.#fetchAhead(this.#urls);
      const next = this.#underway[0];
      // What is here is handed on at once rather than held until more has come.
      if (next === undefined || (read > 0 && !next.settled)) return read;
      next.begin();
      const bytes = await next.bytes;
      this.#underway.shift();
      into.push({ url: next.url, bytes } satisfies RemoteObject);
      this.#given++;
    }
    return limit;
  }

  async #open(): Promise<Urls> {
    const where = this.#where;
    if (isManifest(where)) {
      const { manifest } = where;
      const whole = isAddress(manifest)
        ? new HttpObject(manifest, this.#client, this.#limits).readWhole(Promise.resolve())
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
      const bytes = new HttpObject(url, this.#client, this.#limits).readWhole(turn);
      const underway: Underway = { url, bytes, begin, settled: false };
      const settle = (): void => {
        underway.settled = true;
      };
      // A failure is told when the object's turn has come.
      bytes.then(settle, settle);
      this.#underway.push(underway);
    }
  }

  position(): number {
    return this.#given;
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

/** The first `count` have been had. */
function passingOver(urls: Urls, count: number): Urls {
  for (let passed = 0; passed < count; passed++) urls.next();
  return urls;
}
