import { Agent, type IncomingMessage, request as requestPlain } from 'node:http';
import { request as requestSecure, Agent as SecureAgent } from 'node:https';
import type { Address } from './http-address.ts';
import { Pace, type PaceSettings } from './pace.ts';

/** Keeps connections open between requests. */
export class Connections {
  readonly #plain = new Agent({ keepAlive: true });
  readonly #secure = new SecureAgent({ keepAlive: true });

  /** Resolves with the head of the answer. Redirects are followed, without what proves who asks: it is for one host. */
  async get(address: Address, range: string, pace: PaceSettings, signal: AbortSignal): Promise<Answer> {
    // Encoded bodies have no ranges that mean anything.
    const headers = { range, 'accept-encoding': 'identity', 'user-agent': 'venturi' };
    let url = address.url;
    let answer = await this.#send(url, await address.sign(headers), pace, signal);
    for (let redirects = 0; redirects < MOST_REDIRECTS; redirects++) {
      const { location } = answer.message.headers;
      if (!REDIRECTS.has(answer.status) || location === undefined || !URL.canParse(location, url.href)) break;
      url = new URL(location, url);
      if (url.protocol !== 'http:' && url.protocol !== 'https:') break;
      passOver(answer);
      answer = await this.#send(url, headers, pace, signal);
    }
    return answer;
  }

  #send(url: URL, headers: Readonly<Record<string, string>>, pace: PaceSettings, signal: AbortSignal): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const secure = url.protocol === 'https:';
      const send = secure ? requestSecure : requestPlain;
      const sent = send(url, { headers, agent: secure ? this.#secure : this.#plain, signal });
      // Who reads the answer hears of an error only from the answer itself.
      let awaited: { destroy(error: Error): unknown } = sent;
      const watch = new Pace(pace, error => awaited.destroy(error));
      watch.start();
      sent.on('error', error => {
        watch.stop();
        reject(error);
      });
      sent.on('close', () => watch.stop());
      sent.on('response', message => {
        awaited = message;
        watch.start();
        message.on('data', (chunk: Buffer) => watch.arrived(chunk.length)).pause();
        message.on('end', () => watch.stop());
        resolve({ status: message.statusCode ?? 0, message, watch });
      });
      sent.end();
    });
  }

  close(): void {
    this.#plain.destroy();
    this.#secure.destroy();
  }
}

export interface Answer {
  readonly status: number;
  readonly message: IncomingMessage;
  /** Sees that bytes come; to be stopped while nobody reads them. */
  readonly watch: Pace;
}

const MOST_REDIRECTS = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** More than this is not read for the sake of using a connection again. */
const MOST_PASSED_OVER = 64 * 1024;

/** Reads what nobody wants, so that the connection can be used again, unless there is much of it. */
export function passOver({ message }: Answer): void {
  let bytes = 0;
  message.on('error', () => undefined);
  message.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > MOST_PASSED_OVER) message.destroy();
  });
  message.resume();
}
