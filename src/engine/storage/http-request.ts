import { Agent, type IncomingMessage, request as requestPlain } from 'node:http';
import { request as requestSecure, Agent as SecureAgent } from 'node:https';
import type { Address } from './http-address.ts';

/** Keeps connections open between requests. */
export class Connections {
  readonly #plain = new Agent({ keepAlive: true });
  readonly #secure = new SecureAgent({ keepAlive: true });

  /** Resolves with the head of the answer. Redirects are followed, without what proves who asks: it is for one host. */
  async get(address: Address, range: string, timeoutMs: number, signal: AbortSignal): Promise<Answer> {
    // Encoded bodies have no ranges that mean anything.
    const headers = { range, 'accept-encoding': 'identity', 'user-agent': 'venturi' };
    let url = address.url;
    let answer = await this.#send(url, await address.sign(headers), timeoutMs, signal);
    for (let redirects = 0; redirects < MOST_REDIRECTS; redirects++) {
      const { location } = answer.message.headers;
      if (!REDIRECTS.has(answer.status) || location === undefined || !URL.canParse(location, url.href)) break;
      url = new URL(location, url);
      if (url.protocol !== 'http:' && url.protocol !== 'https:') break;
      answer.message.resume();
      answer = await this.#send(url, headers, timeoutMs, signal);
    }
    return answer;
  }

  #send(url: URL, headers: Readonly<Record<string, string>>, timeoutMs: number, signal: AbortSignal): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const secure = url.protocol === 'https:';
      const send = secure ? requestSecure : requestPlain;
      const sent = send(url, { headers, agent: secure ? this.#secure : this.#plain, signal });
      const late = setTimeout(() => sent.destroy(new SilentError(timeoutMs)), timeoutMs);
      sent.on('error', error => {
        clearTimeout(late);
        reject(error);
      });
      sent.on('close', () => clearTimeout(late));
      sent.on('response', message => {
        message.on('data', () => late.refresh()).pause();
        message.on('end', () => clearTimeout(late));
        resolve({ status: message.statusCode ?? 0, message });
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
}

const MOST_REDIRECTS = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

class SilentError extends Error {
  constructor(timeoutMs: number) {
    super(`nothing came for ${timeoutMs / 1000} s`);
  }
}
