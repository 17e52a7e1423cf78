import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads';
import { unpackError } from '../../errors/portable-error.ts';
import { ANSWERS, HEARTBEAT_MS, LIFE, type Order, type Reply, type ThreadData } from './http-orders.ts';
import { type HttpOptions, type HttpSettings, httpSettings } from './http-settings.ts';
import type { RandomAccess, Storage } from './storage.ts';

/**
 * Objects over HTTP and S3 as files that can be read at any position. Every thread that reads has a second one that
 * fetches for it; reads that follow each other are fetched ahead, `concurrency` parts at a time.
 */
export function httpStorage(options: HttpOptions = {}): Storage {
  const settings = httpSettings('httpStorage', options);
  return httpStorageOn(settings, new URL('./http-thread.js', import.meta.url));
}

/** The same, with the module of the fetching thread named. */
export function httpStorageOn(settings: HttpSettings, module: URL): Storage {
  let started: Fetcher | undefined;
  let client: ReadWhole | undefined;
  const fetcher = (): Fetcher => {
    started ??= new Fetcher(settings, module);
    return started;
  };
  return {
    name: 'http',
    readFile(url) {
      const number = fetcher().number();
      fetcher().send({ kind: 'whole', number, url });
      return fetcher().await(number).bytes;
    },
    readFileAsync: async url => {
      client ??= await openClient(settings);
      return client(url);
    },
    open: url => new RemoteFile(url, fetcher(), settings),
  };
}

type ReadWhole = (url: string) => Promise<Uint8Array>;

/** A thread that need not sleep fetches for itself. The client is loaded by those who use it. */
async function openClient(settings: HttpSettings): Promise<ReadWhole> {
  const [{ HttpClient }, { HttpObject }] = await Promise.all([import('./http-client.ts'), import('./http-object.ts')]);
  const client = new HttpClient(settings, new AbortController().signal);
  return url => new HttpObject(url, client).readWhole(Promise.resolve());
}

type Arrived = Extract<Reply, { readonly bytes: unknown }>;

/** A thread that showed no sign of life for this long has none. */
const SILENCE_MS = 20 * HEARTBEAT_MS;

/** The reading thread's end: sends orders and sleeps until they are carried out. */
class Fetcher {
  readonly #port: MessagePort;
  readonly #signs = new Int32Array(new SharedArrayBuffer(8));
  readonly #arrived = new Map<number, Reply>();
  readonly #unwanted = new Set<number>();
  #numbers = 0;

  constructor(settings: HttpSettings, module: URL) {
    const { port1, port2 } = new MessageChannel();
    const data: ThreadData = { settings, port: port2, signs: this.#signs.buffer as SharedArrayBuffer };
    new Worker(module, { name: 'http', workerData: data, transferList: [port2], execArgv: [] }).unref();
    this.#port = port1;
    port1.unref();
  }

  send(order: Order): void {
    this.#port.postMessage(order);
  }

  /** For an order or a file. */
  number(): number {
    return this.#numbers++;
  }

  await(number: number): Arrived {
    for (let life = -1; ; ) {
      const reply = this.#arrived.get(number);
      if (reply !== undefined) {
        this.#arrived.delete(number);
        if ('error' in reply) throw unpackError(reply.error);
        return reply;
      }
      const answers = Atomics.load(this.#signs, ANSWERS);
      if (this.#receive() || Atomics.wait(this.#signs, ANSWERS, answers, SILENCE_MS) !== 'timed-out') continue;
      // Nobody else can tell: this thread hears of no events while it sleeps.
      const now = Atomics.load(this.#signs, LIFE);
      if (now === life || now === 0) throw new Error('the thread that fetches over HTTP has died');
      life = now;
    }
  }

  forget(number: number): void {
    if (!this.#arrived.delete(number)) this.#unwanted.add(number);
  }

  #receive(): boolean {
    const received = receiveMessageOnPort(this.#port) as { readonly message: Reply } | undefined;
    if (received === undefined) return false;
    const { message } = received;
    if (!this.#unwanted.delete(message.number)) this.#arrived.set(message.number, message);
    return true;
  }
}

/** A range of the file that was requested, and its bytes once they have arrived. */
interface RequestedRange {
  readonly number: number;
  readonly from: number;
  readonly to: number;
  bytes: Uint8Array | undefined;
}

class RemoteFile implements RandomAccess {
  readonly size: number;
  readonly #url: string;
  readonly #fetcher: Fetcher;
  readonly #file: number;
  readonly #settings: HttpSettings;
  /** One behind the other, from where the next read is expected. */
  #ahead: RequestedRange[] = [];
  /** Where the last read ended. */
  #next = -1;

  constructor(url: string, fetcher: Fetcher, settings: HttpSettings) {
    this.#url = url;
    this.#fetcher = fetcher;
    this.#settings = settings;
    this.#file = fetcher.number();
    try {
      this.size = fetcher.await(this.#order(0, 1)).size;
    } catch (error) {
      this.close();
      throw error;
    }
  }

  read(into: Uint8Array, position: number): number {
    const end = Math.min(this.size, position + into.length);
    if (end <= position) return 0;
    const goesOn = position === this.#next;
    if (!goesOn) this.#forget();
    this.#orderUpTo(position, end, goesOn);
    this.#next = end;
    let at = position;
    while (at < end) {
      const range = this.#ahead[0];
      if (range === undefined) throw new Error(`nothing was ordered at byte ${at}`);
      range.bytes ??= this.#arrival(range);
      const until = Math.min(end, range.to);
      into.set(range.bytes.subarray(at - range.from, until - range.from), at - position);
      at = until;
      if (at === range.to) this.#ahead.shift();
    }
    return end - position;
  }

  /** Exactly what is wanted; when reads follow each other, parts ahead of them as well. */
  #orderUpTo(position: number, end: number, further: boolean): void {
    const { partBytes, concurrency } = this.#settings;
    let at = this.#ahead.at(-1)?.to ?? position;
    while (at < end || (further && at < this.size && this.#ahead.length < concurrency)) {
      const to = Math.min(further ? this.size : end, at + partBytes);
      this.#ahead.push({ number: this.#order(at, to), from: at, to, bytes: undefined });
      at = to;
    }
  }

  #arrival({ number }: RequestedRange): Uint8Array {
    try {
      return this.#fetcher.await(number).bytes;
    } catch (error) {
      // Another attempt begins afresh.
      this.#ahead.shift();
      this.#forget();
      this.#next = -1;
      throw error;
    }
  }

  #order(from: number, to: number): number {
    const number = this.#fetcher.number();
    this.#fetcher.send({ kind: 'range', number, url: this.#url, file: this.#file, from, to });
    return number;
  }

  #forget(): void {
    for (const { number, bytes } of this.#ahead) if (bytes === undefined) this.#fetcher.forget(number);
    this.#ahead = [];
  }

  close(): void {
    this.#forget();
    this.#fetcher.send({ kind: 'close', file: this.#file });
  }
}
