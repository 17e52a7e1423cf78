import { createHash, createHmac } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  type Fault,
  FaultyServer,
  patternBytes,
  rangeHeaders,
  type Seen,
} from '../../io/storage/faulty-server.fixture.ts';
import { type HttpOptions, httpSettings } from '../../io/storage/http-settings.ts';
import type { Manifest, RemoteObject } from '../../io/storage/remote-object.ts';
import type { VenturiError } from '../../model/errors.ts';
import { contextWith } from './elements.fixture.ts';
import { ObjectReader } from './object-reader.ts';
import { objects } from './objects.ts';

const server = new FaultyServer();
let origin = '';
beforeAll(async () => {
  origin = await server.start();
});
beforeEach(() => server.reset());
afterEach(() => vi.unstubAllEnvs());
afterAll(() => server.stop());

/** How long the client waited before each repetition; it does not really. */
let waits: number[] = [];
const patience = {
  sleep: async (ms: number): Promise<void> => void waits.push(ms),
  random: (): number => 1,
};

function open(where: string | readonly string[] | Manifest, options: HttpOptions = {}): ObjectReader {
  waits = [];
  const context = contextWith();
  return new ObjectReader(where, httpSettings('objects', { partBytes: 1000, ...options }), context, patience);
}

async function readAll(
  where: string | readonly string[] | Manifest,
  options: HttpOptions = {},
): Promise<RemoteObject[]> {
  const reader = open(where, options);
  const all: RemoteObject[] = [];
  try {
    while ((await reader.read(all, 3)) > 0) expect(reader.done()).toBeLessThanOrEqual(1);
    expect(reader.done()).toBe(1);
    return all;
  } finally {
    reader.close();
  }
}

async function failure(where: string | readonly string[], options: HttpOptions = {}): Promise<VenturiError> {
  return readAll(where, options).then(
    () => expect.fail('it was read'),
    error => error,
  );
}

const status =
  (code: number, headers: Record<string, string> = {}): Fault =>
  response =>
    void response.writeHead(code, headers).end('try later');

describe('objects', () => {
  it('come whole, in the order given, each read in parts', async () => {
    const sizes = [0, 1, 999, 1000, 1001, 5500];
    for (const size of sizes) server.objects.set(`/${size}`, patternBytes(size));
    const urls = sizes.map(size => `${origin}/${size}`).reverse();
    const all = await readAll(urls, { concurrency: 3 });
    expect(all.map(({ url }) => url)).toEqual(urls);
    for (const { url, bytes } of all) expect(bytes).toEqual(patternBytes(Number(url.split('/').at(-1))));
    const ranges = server.seen.filter(({ path }) => path === '/5500').map(({ range }) => range);
    expect(ranges.sort()).toEqual([
      'bytes=0-999',
      'bytes=1000-1999',
      'bytes=2000-2999',
      'bytes=3000-3999',
      'bytes=4000-4999',
      'bytes=5000-5499',
    ]);
    expect(server.most).toBeLessThanOrEqual(3);
  });

  it('are fetched several at once', async () => {
    const urls = Array.from({ length: 4 }, (_, i) => `${origin}/${i}`);
    let waiting: (() => void)[] = [];
    for (let i = 0; i < 4; i++) {
      server.objects.set(`/${i}`, patternBytes(10));
      // Nobody is answered before all four have asked.
      const together: Fault = (_, __, serve) => {
        waiting.push(serve);
        if (waiting.length === 4) for (const go of waiting) go();
      };
      server.faults.set(`/${i}`, [together]);
    }
    expect(await readAll(urls, { concurrency: 4 })).toHaveLength(4);
    waiting = [];
  });

  it('are only begun ahead of their turn where they are larger than a part', async () => {
    server.objects.set('/small', patternBytes(10));
    server.objects.set('/large', patternBytes(3000));
    const hold: { go: () => void } = { go: () => undefined };
    const held: Fault = (_, __, serve) => {
      hold.go = serve;
    };
    server.faults.set('/small', [held]);
    const reader = open([`${origin}/small`, `${origin}/large`]);
    const reading = reader.read([], 1);
    await vi.waitFor(() => expect(server.seen.map(({ path }) => path)).toContain('/large'));
    await new Promise(resolve => setTimeout(resolve, 30));
    expect(server.seen.filter(({ path }) => path === '/large')).toHaveLength(1);
    hold.go();
    expect(await reading).toBe(1);
    reader.close();
  });

  it('come from servers without ranges as well', async () => {
    server.ranges = false;
    server.objects.set('/a', patternBytes(5000));
    const chunked: Fault = response => void response.writeHead(200).end(patternBytes(700));
    server.faults.set('/b', [chunked]);
    const all = await readAll([`${origin}/a`, `${origin}/b`]);
    expect(all.map(({ bytes }) => bytes)).toEqual([patternBytes(5000), patternBytes(700)]);
    expect(server.seen).toHaveLength(2);
  });

  it('are found where a redirect leads', async () => {
    server.objects.set('/new', patternBytes(50));
    server.faults.set('/old', [status(302, { location: '/new' })]);
    const [object] = await readAll(`${origin}/old`);
    expect(object).toEqual({ url: `${origin}/old`, bytes: patternBytes(50) });
  });

  it('are named by a manifest, from a file or an address', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'objects-test-'));
    const urls = Array.from({ length: 30 }, (_, i) => `${origin}/${i}`);
    for (let i = 0; i < 30; i++) server.objects.set(`/${i}`, patternBytes(i));
    const text = `# thirty objects\r\n\n${urls.join('\r\n')}`;
    writeFileSync(join(folder, 'list.txt'), text);
    server.objects.set('/list.txt', Buffer.from(text));
    for (const manifest of [join(folder, 'list.txt'), `${origin}/list.txt`]) {
      expect((await readAll({ manifest })).map(({ url }) => url)).toEqual(urls);
    }
    rmSync(folder, { recursive: true });
  });
});

describe('what passes by itself is tried again', () => {
  beforeEach(() => void server.objects.set('/x', patternBytes(2500)));

  it.each([429, 500, 502, 503, 408])('an answer of %s', async code => {
    server.faults.set('/x', [status(code), status(code)]);
    const [object] = await readAll(`${origin}/x`);
    expect(object?.bytes).toEqual(patternBytes(2500));
    expect(waits).toEqual([100, 200]);
  });

  it('and as late as the server asks', async () => {
    server.faults.set('/x', [status(503, { 'retry-after': '7' })]);
    await readAll(`${origin}/x`);
    expect(waits).toEqual([7000]);
  });

  const cut =
    (after: number): Fault =>
    (response, { range }) => {
      const [, from = '0', to = '0'] = /bytes=(\d+)-(\d+)/.exec(range ?? '') ?? [];
      const end = Math.min(2500, Number(to) + 1);
      response.writeHead(206, rangeHeaders(Number(from), end - Number(from), 2500));
      response.write(patternBytes(2500).subarray(Number(from), Number(from) + after), () => response.destroy());
    };

  it('a connection that breaks: from the byte where it broke', async () => {
    server.faults.set('/x', [cut(300), cut(300), cut(300)]);
    const [object] = await readAll(`${origin}/x`, { concurrency: 1 });
    expect(object?.bytes).toEqual(patternBytes(2500));
    const ranges = server.seen.map(({ range }) => range);
    expect(ranges.slice(0, 4)).toEqual(['bytes=0-999', 'bytes=300-999', 'bytes=600-999', 'bytes=900-999']);
  });

  it('a connection that breaks more often than retries allow, as long as bytes arrive', async () => {
    server.faults.set(
      '/x',
      Array.from({ length: 9 }, () => cut(100)),
    );
    const [object] = await readAll(`${origin}/x`, { retries: 1, concurrency: 1 });
    expect(object?.bytes).toEqual(patternBytes(2500));
  });

  it('a break in a server without ranges: what is there is not read twice', async () => {
    server.ranges = false;
    const broken: Fault = response => {
      response.writeHead(200, { etag: '"1"', 'content-length': 2500 });
      response.write(patternBytes(2500).subarray(0, 700), () => response.destroy());
    };
    server.faults.set('/x', [broken]);
    const [object] = await readAll(`${origin}/x`);
    expect(object?.bytes).toEqual(patternBytes(2500));
  });

  it('a server that says nothing', async () => {
    server.faults.set('/x', [() => undefined]);
    const [object] = await readAll(`${origin}/x`, { timeoutMs: 50 });
    expect(object?.bytes).toEqual(patternBytes(2500));
    expect(waits).toEqual([100]);
  });

  it('until it is too much', async () => {
    server.faults.set(
      '/x',
      Array.from({ length: 9 }, () => status(500)),
    );
    const error = await failure(`${origin}/x`, { retries: 3 });
    expect(error.code).toBe('VENTURI_SOURCE_UNREADABLE');
    expect(error.message).toBe(`cannot read ${origin}/x: the server answered 500, 4 times in a row`);
    expect(waits).toEqual([100, 200, 400]);
  });

  it('and a server that is not there is named', async () => {
    const error = await failure('http://127.0.0.1:1/x', { retries: 1 });
    expect(error.code).toBe('VENTURI_SOURCE_UNREADABLE');
    expect(error.message).toContain('http://127.0.0.1:1/x: ECONNREFUSED');
  });
});

describe('what does not pass is told', () => {
  beforeEach(() => void server.objects.set('/x', patternBytes(2500)));

  it.each([400, 401, 403, 404, 410])('an answer of %s, without the query, which may be a signature', async code => {
    server.faults.set('/x', [status(code)]);
    const error = await failure(`${origin}/x?X-Amz-Signature=s3cret#s3cret`);
    expect(error.code).toBe('VENTURI_SOURCE_UNREADABLE');
    expect(error.message).toBe(`cannot read ${origin}/x?…: the server answered ${code}`);
    expect(error.remedy).toBeDefined();
    expect(JSON.stringify([error.message, error.stack, error.remedy, error.cause])).not.toContain('s3cret');
    expect(waits).toEqual([]);
  });

  it.each([
    ['other bytes than asked for', rangeHeaders(500, 1000, 2500)],
    ['fewer bytes than asked for', rangeHeaders(0, 10, 2500)],
    ['bytes of which it does not say which', { 'content-length': 1000 }],
  ])('a server that sends %s', async (_, headers) => {
    server.faults.set('/x', [
      response => void response.writeHead(206, headers).end(patternBytes(Number(headers['content-length']))),
    ]);
    const error = await failure(`${origin}/x`);
    expect(error.code).toBe('VENTURI_SOURCE_UNREADABLE');
    expect(error.message).toContain('was asked for bytes 0-999 and answered with');
  });

  it('an object that was replaced between two parts', async () => {
    const replaced: Fault = response =>
      void response.writeHead(206, rangeHeaders(1000, 1000, 2500, '"2"')).end(patternBytes(1000));
    server.faults.set('/x', [(_, __, serve) => serve(), replaced]);
    const error = await failure(`${origin}/x`, { concurrency: 1 });
    expect(error.message).toContain('replaced by another version');
  });

  it('an object that cannot be held, because of what its server says of its size', async () => {
    const huge: Fault = response =>
      void response.writeHead(206, rangeHeaders(0, 1000, 2 ** 52)).end(patternBytes(1000));
    server.faults.set('/x', [huge]);
    expect((await failure(`${origin}/x`)).message).toContain('do not fit into memory');
  });

  it.each(['ftp://host/x', 'x.parquet', 's3://bucket', 's3:///key', 's3://bucket/a/../b', 'http://'])(
    'an address like %s',
    async url => {
      expect((await failure(url)).code).toBe('VENTURI_SOURCE_UNREADABLE');
    },
  );

  it('in the order of the objects', async () => {
    server.objects.set('/y', patternBytes(1));
    const reader = open([`${origin}/y`, `${origin}/missing`]);
    const read: unknown[] = [];
    expect(await reader.read(read, 1)).toBe(1);
    await expect(reader.read(read, 1)).rejects.toMatchObject({ code: 'VENTURI_SOURCE_UNREADABLE' });
    reader.close();
  });

  it('and closing stops what is under way', async () => {
    server.faults.set('/x', [() => undefined]);
    const reader = open(`${origin}/x`);
    const reading = reader.read([], 1);
    await vi.waitFor(() => expect(server.seen).toHaveLength(1));
    reader.close();
    await expect(reading).rejects.toMatchObject({ name: 'AbortError' });
  });
});

describe('objects in S3', () => {
  const SECRET = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY';
  beforeEach(() => {
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIDEXAMPLE');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', SECRET);
    vi.stubEnv('AWS_SESSION_TOKEN', 'token==');
    vi.stubEnv('AWS_REGION', 'eu-north-1');
    vi.stubEnv('AWS_ENDPOINT_URL', origin);
  });

  /** As the documentation of Signature Version 4 says, from what arrived at the server. */
  function signatureOf({ message }: Seen): { given: string | undefined; expected: string } {
    const [, scope = '', signed = '', given] =
      /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/(\S+), SignedHeaders=(\S+), Signature=(\S+)$/.exec(
        message.headers.authorization ?? '',
      ) ?? [];
    const encode = (text: string): string =>
      encodeURIComponent(text).replace(/[!'()*]/g, c => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
    const path = (message.url ?? '')
      .split('/')
      .map(part => encode(decodeURIComponent(part)))
      .join('/');
    const headers = signed
      .split(';')
      .map(name => `${name}:${message.headers[name]}\n`)
      .join('');
    const canonical = ['GET', path, '', headers, signed, message.headers['x-amz-content-sha256']].join('\n');
    const hash = createHash('sha256').update(canonical).digest('hex');
    const toSign = ['AWS4-HMAC-SHA256', message.headers['x-amz-date'], scope, hash].join('\n');
    const key = scope
      .split('/')
      .reduce<string | Buffer>((k, part) => createHmac('sha256', k).update(part).digest(), `AWS4${SECRET}`);
    return { given, expected: createHmac('sha256', key).update(toSign).digest('hex') };
  }

  it.each(['plain.txt', 'a b+c/ü(1)!*.bin', 'x=1/y&z/100%.txt'])(
    'are asked for with a valid signature: %s',
    async key => {
      const path = `/bucket/${key.split('/').map(encodeURIComponent).join('/')}`;
      server.objects.set(path, patternBytes(1500));
      const [object] = await readAll(`s3://bucket/${key}`);
      expect(object?.bytes).toEqual(patternBytes(1500));
      expect(server.seen).toHaveLength(2);
      for (const seen of server.seen) {
        const { given, expected } = signatureOf(seen);
        expect(given).toBe(expected);
        expect(seen.message.headers['x-amz-security-token']).toBe('token==');
        expect(seen.message.headers.authorization).toContain('/eu-north-1/s3/aws4_request');
      }
    },
  );

  it('are asked for without one where there are no credentials', async () => {
    vi.stubEnv('AWS_ACCESS_KEY_ID', '');
    server.objects.set('/bucket/x', patternBytes(5));
    await readAll('s3://bucket/x');
    expect(server.seen[0]?.message.headers.authorization).toBeUndefined();
  });

  it('keep their credentials out of redirects to elsewhere, failures and settings', async () => {
    server.faults.set('/bucket/x', [status(307, { location: '/elsewhere' })]);
    const error = await failure('s3://bucket/x');
    expect(error.message).toBe('cannot read s3://bucket/x: the server answered 404 NoSuchKey');
    expect(server.seen[1]?.message.headers.authorization).toBeUndefined();
    const { settings } = objects([
      's3://bucket/x',
      `http://me:${encodeURIComponent(SECRET)}@host/y?sig=${SECRET}`,
    ]).node;
    expect(settings).toMatchObject({ count: 2, first: ['s3://bucket/x', 'http://host/y?…'] });
    // Slashes in a password make an address of no meaning.
    const wrong = await failure(`http://me:${SECRET}@host/y`);
    for (const text of [JSON.stringify(settings), `${error.stack}${error.remedy}`, wrong.message]) {
      for (const secret of [SECRET, 'AKIDEXAMPLE', 'token==']) expect(text).not.toContain(secret);
    }
  });
});
