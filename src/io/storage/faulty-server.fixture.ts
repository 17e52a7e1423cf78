import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What it knows of a request it got. */
export interface Seen {
  readonly path: string;
  readonly range: string | undefined;
  readonly message: IncomingMessage;
}

/** Answers in place of the server; `serve` is what it would have done. */
export type Fault = (response: ServerResponse, seen: Seen, serve: () => void) => void;

/** A server of objects with ranges, and with faults that each befall one request for a path, in order. */
export class FaultyServer {
  readonly objects = new Map<string, Uint8Array>();
  readonly faults = new Map<string, Fault[]>();
  readonly seen: Seen[] = [];
  ranges = true;
  /** Most requests it had at once. */
  most = 0;
  #current = 0;
  readonly #server: Server;

  constructor() {
    this.#server = createServer((message, response) => {
      this.most = Math.max(this.most, ++this.#current);
      response.on('close', () => this.#current--);
      const path = (message.url ?? '').replace(/\?.*$/, '');
      const seen: Seen = { path, range: message.headers.range, message };
      this.seen.push(seen);
      const fault = this.faults.get(path)?.shift();
      const serve = (): void => this.#serve(response, seen);
      if (fault === undefined) serve();
      else fault(response, seen, serve);
    });
  }

  async start(): Promise<string> {
    await new Promise<void>(resolve => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  reset(): void {
    this.objects.clear();
    this.faults.clear();
    this.seen.length = 0;
    this.ranges = true;
    this.most = 0;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise(resolve => this.#server.close(resolve));
  }

  #serve(response: ServerResponse, { path, range }: Seen): void {
    const bytes = this.objects.get(path);
    if (bytes === undefined) {
      response.writeHead(404).end('<Error><Code>NoSuchKey</Code></Error>');
      return;
    }
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(range ?? '') ?? [];
    if (!this.ranges || from === undefined) {
      response.writeHead(200, { etag: '"1"', 'content-length': bytes.length }).end(bytes);
      return;
    }
    if (Number(from) >= bytes.length) {
      response.writeHead(416, { 'content-range': `bytes */${bytes.length}` }).end();
      return;
    }
    const part = bytes.subarray(Number(from), Number(to) + 1);
    response.writeHead(206, rangeHeaders(Number(from), part.length, bytes.length)).end(part);
  }
}

export const rangeHeaders = (
  from: number,
  length: number,
  total: number,
  etag = '"1"',
): Record<string, string | number> => ({
  etag,
  'content-range': `bytes ${from}-${from + length - 1}/${total}`,
  'content-length': length,
});

/** Bytes that are different everywhere, so that a part in the wrong place shows. */
export const patternBytes = (length: number): Uint8Array =>
  Uint8Array.from({ length }, (_, i) => (i * 31 + (i >> 8) * 7 + (i >> 16)) & 255);
