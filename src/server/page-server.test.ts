import { once } from 'node:events';
import { type IncomingHttpHeaders, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type PageServer, servePage } from './page-server.ts';
import type { PageSource } from './page-source.ts';

const HTML =
  '<!doctype html><style>body{}</style><script type="application/json" id="document"></script><script>go()</script>';
const HOSTILE = '<script>alert(1)</script>';

const asked: string[] = [];
const source: PageSource = {
  document: async () => Buffer.from(JSON.stringify({ name: HOSTILE })),
  tile: async (series, level, index) => {
    asked.push(`${series} ${level} ${index}`);
    return series === 'lane:0' && level < 3 ? Buffer.from([level, index]) : undefined;
  },
};

let server: PageServer;
beforeEach(async () => {
  asked.length = 0;
  server = await servePage(HTML, source);
});
afterEach(() => server.close());

interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Sends the path as it is: `fetch` would tidy it. */
function get(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const asking = request({ host: '127.0.0.1', port: server.port, path, method, headers }, response => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(parts).toString('latin1'),
        }),
      );
    });
    asking.on('error', reject);
    asking.end();
  });
}

const tokenPath = (): string => server.url.replace(/^http:\/\/[^/]*/, '');

async function cookie(): Promise<string> {
  const { headers } = await get(tokenPath());
  return headers['set-cookie']?.[0]?.split(';')[0] ?? '';
}

const entered = async (more: Record<string, string> = {}) => ({ cookie: await cookie(), ...more });

describe('the door', () => {
  test('the token is exchanged for a cookie and leaves the address', async () => {
    const { status, headers } = await get(tokenPath());
    expect(status).toBe(200);
    expect(headers['set-cookie']?.[0]).toMatch(/^venturi-\d+=[\w-]{32}; HttpOnly; SameSite=Strict; Path=\/$/);
    expect(headers['set-cookie']?.[0]).not.toContain(server.url.split('=').at(-1));
    expect(headers.refresh).toBe('0; url=/');
    expect((await get('/', await entered())).body).toBe(HTML);
  });

  test('without the token nothing is told', async () => {
    for (const path of ['/', '/document.json', '/tiles/lane:0/0/0', '/events', '/?token=', '/?token=guess']) {
      expect((await get(path)).status, path).toBe(403);
    }
    const other = await entered();
    expect((await get('/', { cookie: other.cookie.replace(/=.*/, '=guess') })).status).toBe(403);
    expect((await get('/', { cookie: `other=1; ${other.cookie}` })).status).toBe(200);
    expect(asked).toEqual([]);
  });

  test('another Host or Origin is refused, though the token is right', async () => {
    const inside = await entered();
    for (const host of ['evil.example', `evil.example:${server.port}`, '127.0.0.1', `127.0.0.1.evil:${server.port}`]) {
      expect((await get('/', { ...inside, host })).status, host).toBe(421);
      expect((await get(tokenPath(), { host })).status, host).toBe(421);
    }
    for (const origin of ['http://evil.example', 'null', `https://127.0.0.1:${server.port}`, 'http://127.0.0.1:1']) {
      expect((await get('/document.json', { ...inside, origin })).status, origin).toBe(403);
    }
    const own = `http://127.0.0.1:${server.port}`;
    expect((await get('/document.json', { ...inside, origin: own })).status).toBe(200);
    expect((await get('/document.json', { ...inside, 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect((await get('/', { ...inside, host: `localhost:${server.port}` })).status).toBe(200);
  });

  test('only GET and HEAD are answered', async () => {
    const inside = await entered();
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'TRACE']) {
      const { status, headers } = await get('/', inside, method);
      expect(status, method).toBe(405);
      expect(headers.allow).toBe('GET, HEAD');
    }
    const head = await get('/document.json', inside, 'HEAD');
    expect(head).toMatchObject({ status: 200, body: '' });
  });

  test('paths that lead upwards, and any but the known ones, find nothing', async () => {
    const inside = await entered();
    const refused = [
      '/../package.json',
      '/tiles/../../etc/passwd',
      '/tiles/%2e%2e/0/0',
      '/..%2fpackage.json',
      '//evil.example/',
      '/\\..\\x',
      '/%00',
      '/%E0%A4%A',
      '/document.json?x=1',
      'http://evil.example/',
      '/tiles/lane:0/-1/0',
      '/tiles/lane:0/1e3/0',
      '/tiles/lane:0/0/0/0',
      '/page.html',
    ];
    for (const path of refused) expect((await get(path, inside)).status, path).toBeOneOf([400, 404]);
    expect(asked).toEqual([]);
  });

  test('huge addresses and headers are refused', async () => {
    const inside = await entered();
    expect((await get(`/tiles/${'x'.repeat(5000)}/0/0`, inside)).status).toBe(414);
    expect((await get(`/${'x'.repeat(100_000)}`, inside)).status).toBe(431);
    expect((await get('/', { ...inside, 'x-filler': 'x'.repeat(20_000) })).status).toBe(431);
  });
});

describe('what is served', () => {
  test('the page runs its own script and style alone, and nothing may frame it', async () => {
    const { headers } = await get('/', await entered());
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'");
    expect(policy.match(/script-src ('sha256-[^']+'\s?)+;/)).not.toBeNull();
    expect(policy.match(/sha256-/g)).toHaveLength(2);
    expect(policy).not.toContain('unsafe');
    expect(policy).toContain("frame-ancestors 'none'");
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers['cache-control']).toBe('no-store');
  });

  test('names that are markup are data', async () => {
    const { headers, body } = await get('/document.json', await entered());
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
    expect(JSON.parse(body)).toEqual({ name: HOSTILE });
  });

  test('tiles are found by series, level and index', async () => {
    const inside = await entered();
    expect((await get('/tiles/lane%3A0/2/7', inside)).body).toBe('\x02\x07');
    expect((await get(`/tiles/${encodeURIComponent('a/b ü')}/0/1`, inside)).status).toBe(204);
    expect(asked).toEqual(['lane:0 2 7', 'a/b ü 0 1']);
  });

  test('tiles of several series at one place come joined', async () => {
    const inside = await entered();
    const { body } = await get('/tiles/lane:0,lane:1,lane:0/2/7', inside);
    // Three tiles, the lengths of each; then those that are there, each where numbers of eight bytes may lie.
    const bytes = [...Buffer.from(body, 'latin1')];
    expect(bytes.slice(0, 16)).toEqual([3, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0]);
    expect(bytes.slice(16)).toEqual([2, 7, 0, 0, 0, 0, 0, 0, 2, 7, 0, 0, 0, 0, 0, 0]);
    expect((await get('/tiles/x,y/2/7', inside)).status).toBe(204);
  });

  test('a source that fails is told, and the server goes on', async () => {
    await server.close();
    let calls = 0;
    server = await servePage(HTML, {
      ...source,
      document: async () => {
        if (calls++ === 0) throw new Error('the run is gone');
        return Buffer.from('{}');
      },
    });
    const inside = await entered();
    expect(await get('/document.json', inside)).toMatchObject({ status: 500, body: 'the run is gone\n' });
    expect((await get('/document.json', inside)).status).toBe(200);
  });
});

describe('events', () => {
  async function listen(headers: Record<string, string>): Promise<Socket> {
    const socket = connect(server.port, '127.0.0.1');
    await once(socket, 'connect');
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`GET /events HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\n${lines.join('')}\r\n`);
    return socket;
  }

  const until = async (isSo: () => boolean): Promise<void> => {
    while (!isSo()) await new Promise(resolve => setTimeout(resolve, 5));
  };

  test('an open page gets sections as they change, and the end', async () => {
    const socket = await listen(await entered());
    let text = '';
    socket.on('data', (part: Buffer) => {
      text += part.toString();
    });
    await until(() => server.events.readers === 1);
    server.events.publish('live', JSON.stringify({ id: 'live', text: 'a\nb' }));
    await until(() => text.includes('"id":"live"'));
    expect(text).toContain('Content-Type: text/event-stream');
    expect(text).toContain('event: section\ndata: {"id":"live","text":"a\\nb"}\n\n');
    server.events.end();
    await once(socket, 'close');
    expect(text).toContain('event: end');
  });

  test('a page that never reads costs nothing, and does not hold up the others', async () => {
    const inside = await entered();
    const deaf = await listen(inside);
    await once(deaf, 'readable');
    const reader = await listen(inside);
    let received = 0;
    reader.on('data', (part: Buffer) => {
      received += part.length;
    });
    await until(() => server.events.readers === 2);
    const before = process.memoryUsage().arrayBuffers;
    const section = JSON.stringify({ text: 'x'.repeat(100_000) });
    // As much as would be 400 MB, if it were kept.
    for (let round = 0; round < 4000; round++) {
      server.events.publish(`section-${round % 4}`, section);
      if (round % 50 === 0) await new Promise(resolve => setImmediate(resolve));
    }
    expect(server.events.waiting).toBeLessThanOrEqual(8);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(100e6);
    await until(() => received > 400_000);
    expect((await get('/document.json', inside)).status).toBe(200);
    deaf.destroy();
    reader.destroy();
    await until(() => server.events.readers === 0);
  });

  test('no more pages are open at once than the server has room for', async () => {
    const inside = await entered();
    const sockets = await Promise.all(Array.from({ length: 16 }, () => listen(inside)));
    await until(() => server.events.readers === 16);
    expect((await get('/events', inside)).status).toBe(503);
    for (const socket of sockets) socket.destroy();
    await until(() => server.events.readers === 0);
  });

  test('a client that never ends its request does not keep the server from closing', async () => {
    const slow = connect(server.port, '127.0.0.1');
    slow.on('error', () => undefined);
    await once(slow, 'connect');
    slow.write('GET / HTTP/1.1\r\nHost');
    await server.close();
    await expect(get('/')).rejects.toThrow(/ECONNREFUSED/);
  });
});
