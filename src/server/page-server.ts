import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { joinTiles } from '../report/page/tile-encoding.ts';
import { BARE_POLICY, pagePolicy } from '../workflow/page/page-policy.ts';
import { admit, cookieName, type Door } from './admission.ts';
import { EventHub } from './event-hub.ts';
import type { PageSource } from './page-source.ts';

/** Connections at once: a browser opens six to a server, and one page is open in a few tabs. */
const MOST_CONNECTIONS = 64;
const MOST_READERS = 16;
const MOST_HEADER_BYTES = 8192;
/** Time for a request to come in, and for a response to be read on. */
const REQUEST_MS = 10_000;
const IDLE_MS = 60_000;
const BEAT_MS = 15_000;
/** Time for pages to take the last events when the server closes. */
const FAREWELL_MS = 2_000;
const SECRET_BYTES = 24;

const SAFE_HEADERS = {
  'Cache-Control': 'no-store',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
} as const;

export interface PageServer {
  readonly port: number;
  /** With the token. */
  readonly url: string;
  readonly events: EventHub;
  close(): Promise<void>;
}

/** Serves one page on the loopback interface, at a port that is free. `html` is its template. */
export async function servePage(html: string, source: PageSource): Promise<PageServer> {
  const events = new EventHub();
  const secret = (): string => randomBytes(SECRET_BYTES).toString('base64url');
  let door: Door = { port: 0, token: secret(), session: secret() };
  const page = { body: Buffer.from(html), policy: pagePolicy(html, 'served') };
  const server = createServer(
    { maxHeaderSize: MOST_HEADER_BYTES, requestTimeout: REQUEST_MS, headersTimeout: REQUEST_MS },
    (request, response) => {
      answer(request, response, { door, page, source, events }).catch((error: unknown) => {
        if (response.headersSent) response.destroy();
        else sendText(response, 500, error instanceof Error ? error.message : 'It failed.');
      });
    },
  );
  server.maxConnections = MOST_CONNECTIONS;
  server.timeout = IDLE_MS;
  await listen(server);
  const { port } = server.address() as AddressInfo;
  door = { ...door, port };
  const heart = setInterval(() => events.beat(), BEAT_MS).unref();
  return {
    port,
    url: `http://127.0.0.1:${port}/?token=${door.token}`,
    events,
    close: () => {
      clearInterval(heart);
      events.end();
      return closed(server);
    },
  };
}

const listen = (server: Server): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      server.off('error', reject);
      resolve();
    });
  });

function closed(server: Server): Promise<void> {
  return new Promise(resolve => {
    const timer = setTimeout(() => server.closeAllConnections(), FAREWELL_MS);
    server.close(() => {
      clearTimeout(timer);
      resolve();
    });
    server.closeIdleConnections();
  });
}

interface Served {
  readonly door: Door;
  readonly page: { readonly body: Buffer; readonly policy: string };
  readonly source: PageSource;
  readonly events: EventHub;
}

async function answer(request: IncomingMessage, response: ServerResponse, served: Served): Promise<void> {
  // A body means nothing here; whoever sends one is not waited for.
  request.on('error', () => undefined);
  const { door, page, source, events } = served;
  const admission = admit(request, door);
  if (admission.type === 'refuse') {
    if (admission.status === 405) response.setHeader('Allow', 'GET, HEAD');
    response.setHeader('Connection', 'close');
    sendText(response, admission.status, admission.reason);
    return;
  }
  if (admission.type === 'enter') {
    enter(response, door);
    return;
  }
  const [name, ...rest] = admission.path;
  if (name === undefined) send(response, 'text/html; charset=utf-8', page.body, page.policy);
  else if (name === 'document.json' && rest.length === 0) send(response, JSON_TYPE, await source.document());
  else if (name === 'tiles' && rest.length === 3) await sendTile(response, rest, source);
  else if (name === 'events' && rest.length === 0) attach(request, response, events);
  else sendText(response, 404, 'There is nothing here.');
}

const JSON_TYPE = 'application/json; charset=utf-8';

/**
 * Sets the cookie, and has the page loaded again without the token. Not by a redirect: a browser that was led here by a file or another site
 * would follow it without a cookie of SameSite=Strict, whereas this navigation is the server's own.
 */
function enter(response: ServerResponse, { port, session }: Door): void {
  response.setHeader('Set-Cookie', `${cookieName(port)}=${session}; HttpOnly; SameSite=Strict; Path=/`);
  response.setHeader('Refresh', '0; url=/');
  sendText(response, 200, 'Opening …');
}

async function sendTile(response: ServerResponse, path: readonly string[], source: PageSource): Promise<void> {
  const [series = '', level = '', index = ''] = path;
  const isNumber = (text: string): boolean => /^\d{1,9}$/.test(text);
  if (!isNumber(level) || !isNumber(index)) {
    sendText(response, 404, 'There is no such tile.');
    return;
  }
  const keys = series.split(',');
  const tiles = await Promise.all(keys.map(key => source.tile(key, Number(level), Number(index))));
  const [tile] = tiles;
  // Where nothing happened there is no tile. A page cannot know that before, so it is no error, which browsers would complain of.
  if (tiles.every(each => each === undefined)) response.writeHead(204, SAFE_HEADERS).end();
  else
    send(
      response,
      'application/octet-stream',
      keys.length === 1 && tile !== undefined ? tile : Buffer.from(joinTiles(tiles).buffer),
    );
}

function attach(request: IncomingMessage, response: ServerResponse, events: EventHub): void {
  if (events.readers >= MOST_READERS) {
    sendText(response, 503, 'Too many pages are open.');
    return;
  }
  if (events.isSilent) {
    // A browser does not ask again after that.
    response.writeHead(204, SAFE_HEADERS).end();
    return;
  }
  response.writeHead(200, {
    ...SAFE_HEADERS,
    'Content-Security-Policy': BARE_POLICY,
    'Content-Type': 'text/event-stream',
    Connection: 'close',
  });
  if (request.method === 'HEAD') {
    response.end();
    return;
  }
  // The hub drops readers that are gone; those that wait for news are idle and stay.
  request.socket.setTimeout(0);
  response.flushHeaders();
  events.attach(response);
}

function sendText(response: ServerResponse, status: number, text: string): void {
  response.statusCode = status;
  send(response, 'text/plain; charset=utf-8', Buffer.from(`${text}\n`));
}

function send(response: ServerResponse, type: string, body: Buffer, policy = BARE_POLICY): void {
  response.writeHead(response.statusCode, {
    ...SAFE_HEADERS,
    'Content-Security-Policy': policy,
    'Content-Type': type,
    'Content-Length': body.length,
  });
  response.end(body);
}
