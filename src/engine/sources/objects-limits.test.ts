import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Fault, FaultyServer, patternBytes, rangeHeaders } from '../../io/storage/faulty-server.fixture.ts';
import { HttpBody } from '../../io/storage/http-body.ts';
import type { Patience } from '../../io/storage/http-client.ts';
import { type HttpOptions, httpSettings } from '../../io/storage/http-settings.ts';
import type { RemoteObject } from '../../io/storage/remote-object.ts';
import type { VenturiError } from '../../model/errors.ts';
import { contextWith } from './elements.fixture.ts';
import { ObjectReader } from './object-reader.ts';

const server = new FaultyServer();
let origin = '';
beforeAll(async () => {
  origin = await server.start();
});
beforeEach(() => server.reset());
afterAll(() => server.stop());

/** How long the client waited before each repetition; it does not really. */
let waits: number[] = [];
const hasty: Patience = { sleep: async ms => void waits.push(ms), random: () => 1 };

function open(urls: readonly string[], options: HttpOptions, patience = hasty, memory = 2 ** 20): ObjectReader {
  waits = [];
  const settings = httpSettings('objects', { partBytes: 1000, ...options });
  return new ObjectReader(urls, settings, contextWith(memory), patience);
}

async function failure(path: string, options: HttpOptions, patience?: Patience): Promise<VenturiError> {
  const reader = open([`${origin}${path}`], options, patience);
  try {
    return await reader.read([], 1).then(
      () => expect.fail('it was read'),
      error => error,
    );
  } finally {
    await reader.close();
  }
}

/** For every request, as often as it comes. */
const always = (path: string, fault: Fault): void => {
  server.faults.set(path, Object.assign([], { shift: () => fault }));
};

/** Sends `bytes` in pieces, as fast as they are taken, and does not say beforehand how many there are. */
const unsized =
  (bytes: number): Fault =>
  response => {
    const piece = patternBytes(16_384);
    let left = bytes;
    const send = (): void => {
      while (left > 0 && !response.destroyed) {
        const next = piece.subarray(0, Math.min(left, piece.length));
        left -= next.length;
        if (!response.write(next)) return void response.once('drain', send);
      }
      response.end();
    };
    response.writeHead(200);
    send();
  };

const ENDLESS = Number.POSITIVE_INFINITY;

/** Sends a byte now and then, for ever. */
const dripping: Fault = response => {
  response.writeHead(200);
  const timer = setInterval(() => response.write('.'), 2);
  response.on('close', () => clearInterval(timer));
};

/** Bytes that came in and were not handed out yet: now, and at most. */
function watchHeld(): { now: number; most: number } {
  const held = { now: 0, most: 0 };
  const { append } = HttpBody.prototype;
  vi.spyOn(HttpBody.prototype, 'append').mockImplementation(function (this: HttpBody, chunk) {
    append.call(this, chunk);
    held.now += chunk.length;
    held.most = Math.max(held.most, held.now);
  });
  return held;
}

describe('an object whose server does not say how large it is', () => {
  beforeEach(() => void vi.restoreAllMocks());

  it('is left where it is, but for a part, until it is its turn', async () => {
    const size = 2 ** 21;
    const held = watchHeld();
    const paths = ['/0', '/1', '/2', '/3'];
    const all: (() => void)[] = [];
    // Nobody is answered before all have asked.
    for (const path of paths) {
      always(path, (response, seen, serve) => {
        all.push(() => unsized(size)(response, seen, serve));
        if (all.length === paths.length) for (const go of all) go();
      });
    }
    const reader = open(
      paths.map(path => `${origin}${path}`),
      { partBytes: 65_536, concurrency: 4, maxObjectBytes: size },
    );
    for (const path of paths) {
      const into: RemoteObject[] = [];
      expect(await reader.read(into as unknown[], 1)).toBe(1);
      expect(into).toMatchObject([{ url: `${origin}${path}` }]);
      expect(into[0]?.bytes.length).toBe(size);
      held.now -= size;
    }
    await reader.close();
    expect(held.most).toBeLessThanOrEqual(size + 3 * 65_536);
  });

  it('is given up where it is larger than may be held, with what to set', async () => {
    const held = watchHeld();
    always('/x', unsized(ENDLESS));
    const error = await failure('/x', {});
    // A quarter of the run's memory, of which the source has a quarter here.
    expect(error.message).toBe(
      `the bytes of ${origin}/x do not fit into memory: an object may have 1048576 where its server does not say how many there are`,
    );
    expect(error).toMatchObject({
      code: 'VENTURI_BUDGET_TOO_SMALL',
      remedy: expect.stringContaining('maxObjectBytes'),
    });
    expect(held.most).toBeLessThanOrEqual(2 ** 20);
    expect(waits).toEqual([]);
  });

  it('may have as much as it is allowed', async () => {
    always('/x', unsized(5000));
    expect((await failure('/x', { maxObjectBytes: 4999 })).code).toBe('VENTURI_BUDGET_TOO_SMALL');
    const reader = open([`${origin}/x`], { maxObjectBytes: 5000 });
    const into: RemoteObject[] = [];
    await reader.read(into as unknown[], 1);
    expect(into[0]?.bytes).toEqual(patternBytes(5000));
    await reader.close();
  });

  it('is passed on as it was sent, also where that is compressed', async () => {
    const bomb = gzipSync(new Uint8Array(2 ** 22));
    always('/x', response => void response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb));
    const reader = open([`${origin}/x`], {});
    const into: RemoteObject[] = [];
    await reader.read(into as unknown[], 1);
    expect(Buffer.from(into[0]?.bytes ?? []).equals(bomb)).toBe(true);
    await reader.close();
  });
});

describe('an object whose server says that it is larger than may be held is not read', () => {
  const part = patternBytes(1000);
  it.each<[string, Fault]>([
    ['in parts', response => void response.writeHead(206, rangeHeaders(0, 1000, 2 ** 22)).end(part)],
    ['at once', response => void response.writeHead(200, { 'content-length': 2 ** 22 }).write(part)],
  ])('%s', async (_, fault) => {
    always('/x', fault);
    const error = await failure('/x', {});
    expect(error.code).toBe('VENTURI_BUDGET_TOO_SMALL');
    expect(error.message).toContain(
      `the 4194304 bytes of ${origin}/x do not fit into memory: an object may have 2097152`,
    );
    expect(server.seen).toHaveLength(1);
  });
});

describe('a server that takes its time', () => {
  it('is given up where it sends too slowly, although bytes come', { timeout: 30_000 }, async () => {
    always('/x', dripping);
    const error = await failure('/x', { timeoutMs: 200, minBytesPerSecond: 1e6, retries: 1, maxObjectBytes: 1e9 });
    expect(error.code).toBe('VENTURI_SOURCE_UNREADABLE');
    expect(error.message).toMatch(/(only \d+ bytes|nothing) came (in|for) 0\.2 s, 2 times in a row$/);
    expect(server.seen).toHaveLength(2);
  });

  it('is given up where a whole object takes too long', { timeout: 30_000 }, async () => {
    always('/x', dripping);
    const error = await failure('/x', { minBytesPerSecond: 0, totalTimeoutMs: 40, maxObjectBytes: 1e9 });
    expect(error.code).toBe('VENTURI_SOURCE_UNREADABLE');
    expect(error.message).toBe(`cannot read ${origin}/x: it had not come whole after 0.04 s`);
    expect(error.remedy).toContain('totalTimeoutMs');
  });

  it('is given up where it begins an answer and never ends its head', { timeout: 30_000 }, async () => {
    always('/x', response => {
      response.socket?.write('HTTP/1.1 200 OK\r\nx: ');
      const timer = setInterval(() => response.socket?.write('.'), 2);
      response.socket?.on('close', () => clearInterval(timer));
      response.socket?.on('error', () => undefined);
    });
    const error = await failure('/x', { timeoutMs: 30, retries: 1 });
    expect(error.message).toMatch(/nothing came for 0\.03 s, 2 times in a row$/);
  });

  it('is not waited for longer than allowed, however long it asks for', async () => {
    always('/x', response => void response.writeHead(503, { 'retry-after': '86400' }).end());
    await failure('/x', { retries: 2 });
    expect(waits).toEqual([120_000, 120_000]);
    await failure('/x', { retries: 2, maxRetryAfterMs: 5 });
    expect(waits).toEqual([100, 200]);
  });

  it('and the waits it asks for count', { timeout: 30_000 }, async () => {
    always('/x', response => void response.writeHead(503, { 'retry-after': '86400' }).end());
    const patient: Patience = {
      sleep: (_, signal) => new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal))),
      random: () => 1,
    };
    const error = await failure('/x', { totalTimeoutMs: 30 }, patient);
    expect(error.message).toBe(`cannot read ${origin}/x: it had not come whole after 0.03 s`);
  });
});

describe('a server that leads astray', () => {
  it('by redirects without end is followed a few times', async () => {
    always('/x', response => void response.writeHead(302, { location: '/x' }).end());
    const error = await failure('/x', {});
    expect(error.message).toBe(`cannot read ${origin}/x: the server answered 302`);
    expect(server.seen).toHaveLength(6);
  });

  it.each([302, 503])(
    'by an endless body behind a status of %s, which is not read',
    { timeout: 30_000 },
    async code => {
      server.objects.set('/y', patternBytes(10));
      const closed = new Promise<void>(resolve => {
        server.faults.set('/x', [
          response => {
            response.on('close', resolve);
            response.writeHead(code, { location: '/y' });
            const send = (): void => {
              while (!response.destroyed && response.write(patternBytes(16_384)));
              if (!response.destroyed) response.once('drain', send);
            };
            send();
          },
        ]);
      });
      server.objects.set('/x', patternBytes(10));
      const reader = open([`${origin}/x`], {});
      expect(await reader.read([], 1)).toBe(1);
      await closed;
      await reader.close();
    },
  );
});
