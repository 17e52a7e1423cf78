import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { patternBytes } from './faulty-server.fixture.ts';
import { httpStorageOn } from './http.ts';
import { type HttpOptions, httpSettings } from './http-settings.ts';
import type { Storage } from './storage.ts';

/**
 * The thread that reads blocks, so the server lives in one of its own. It serves patternBytes(size) at /size, and each
 * path of /log the ranges it was asked for.
 */
const SERVER = `
const { createServer } = require('node:http');
const { parentPort } = require('node:worker_threads');
const log = [];
let etag = 1;
const bytesOf = length => Uint8Array.from({ length }, (_, i) => (i * 31 + (i >> 8) * 7 + (i >> 16)) & 255);
const server = createServer(({ url, headers }, response) => {
  if (url === '/log') return response.writeHead(200).end(JSON.stringify(log.splice(0)));
  if (url === '/replace') return response.writeHead(200).end(String(++etag));
  if (url.startsWith('/missing')) return response.writeHead(404).end();
  if (url === '/unranged') return response.writeHead(200).end(bytesOf(5000));
  const all = bytesOf(Number(url.slice(1)));
  const [, from, to] = /bytes=(\\d+)-(\\d+)/.exec(headers.range).map(Number);
  log.push(from + '-' + to);
  if (from >= all.length) return response.writeHead(416).end();
  const part = all.subarray(from, to + 1);
  const range = 'bytes ' + from + '-' + (from + part.length - 1) + '/' + all.length;
  response.writeHead(206, { etag: '"' + etag + '"', 'content-range': range, 'content-length': part.length }).end(part);
}).listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));`;

const folder = mkdtempSync(join(tmpdir(), 'http-test-'));
const module = join(folder, 'http-thread.mjs');
const server = new Worker(SERVER, { eval: true });
// At once: what a worker says before somebody listens is lost.
const port = new Promise<number>(resolve => server.once('message', resolve));
let origin = '';

beforeAll(async () => {
  const entry = fileURLToPath(new URL('./http-thread.ts', import.meta.url));
  await build({
    entryPoints: [entry],
    outfile: module,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
  });
  origin = `http://127.0.0.1:${await port}`;
});
afterAll(async () => {
  await server.terminate();
  rmSync(folder, { recursive: true });
});

const storageWith = (options: HttpOptions = {}): Storage =>
  httpStorageOn(httpSettings('httpStorage', { partBytes: 1000, concurrency: 3, ...options }), pathToFileURL(module));

const text = (storage: Storage, path: string): string => Buffer.from(storage.readFile(`${origin}${path}`)).toString();
const ranges = (storage: Storage): string[] => JSON.parse(text(storage, '/log'));

describe('storage over HTTP', () => {
  it('gives whole objects', () => {
    const storage = storageWith();
    for (const size of [0, 1, 1000, 4321]) expect(storage.readFile(`${origin}/${size}`)).toEqual(patternBytes(size));
    expect(storage.readFile(`${origin}/unranged`)).toEqual(patternBytes(5000));
  });

  it('gives several whole objects at once to who need not wait for them one by one', async () => {
    const storage = storageWith();
    const sizes = [0, 1, 1000, 4321];
    const arrived = await Promise.all(sizes.map(size => storage.readFileAsync(`${origin}/${size}`)));
    expect(arrived).toEqual(sizes.map(patternBytes));
    await expect(storage.readFileAsync(`${origin}/missing`)).rejects.toMatchObject({
      code: 'VENTURI_SOURCE_UNREADABLE',
    });
  });

  it('reads at any position exactly what is asked for', () => {
    const storage = storageWith();
    const file = storage.open(`${origin}/5000`);
    ranges(storage);
    expect(file.size).toBe(5000);
    for (const [position, length] of [
      [4990, 100],
      [100, 50],
      [0, 2500],
      [4000, 1],
    ] as const) {
      const into = new Uint8Array(length);
      const expected = patternBytes(5000).subarray(position, position + length);
      expect(file.read(into, position)).toBe(expected.length);
      expect(into.subarray(0, expected.length)).toEqual(expected);
    }
    expect(file.read(new Uint8Array(9), 5000)).toBe(0);
    // In parts side by side, in no certain order.
    const asked = ['4990-4999', '100-149', '0-999', '1000-1999', '2000-2499', '4000-4000'];
    expect(ranges(storage).sort()).toEqual(asked.sort());
    file.close();
  });

  it('fetches ahead where reads follow each other, and every byte once', () => {
    const storage = storageWith();
    const file = storage.open(`${origin}/7777`);
    ranges(storage);
    const pieces: Uint8Array[] = [];
    for (let at = 0; ; ) {
      const into = new Uint8Array(256);
      const count = file.read(into, at);
      if (count === 0) break;
      pieces.push(into.subarray(0, count));
      at += count;
    }
    expect(Buffer.concat(pieces).equals(patternBytes(7777))).toBe(true);
    const asked = ranges(storage).map(range => range.split('-').map(Number) as [number, number]);
    expect(asked).toHaveLength(9);
    expect(asked.reduce((sum, [from, to]) => sum + to - from + 1, 0)).toBe(7777);
    file.close();
  });

  it('says what cannot be read, and can be used again afterwards', () => {
    const storage = storageWith();
    for (const read of [
      () => storage.open(`${origin}/missing?sig=s3cret`),
      () => storage.readFile(`${origin}/missing`),
    ]) {
      expect(read).toThrow(expect.objectContaining({ code: 'VENTURI_SOURCE_UNREADABLE' }));
      expect(read).not.toThrow('s3cret');
    }
    expect(() => storage.open(`${origin}/unranged`)).toThrow('whole objects only');
    expect(storage.open(`${origin}/0`).size).toBe(0);
  });

  it('does not mix two versions of an object, but reads the new one when opened again', () => {
    const storage = storageWith();
    const file = storage.open(`${origin}/3000`);
    text(storage, '/replace');
    for (let again = 0; again < 2; again++) {
      expect(() => file.read(new Uint8Array(10), 0)).toThrow('replaced by another version');
    }
    file.close();
    expect(storage.open(`${origin}/3000`).read(new Uint8Array(10), 0)).toBe(10);
  });
});
