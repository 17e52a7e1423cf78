import { mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { decodeJpeg } from './jpeg.ts';
import { makeImages } from './synthetic.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'venturi-images-'));
});
afterEach(() => rm(folder, { recursive: true }));

const small = { width: 60, height: 40, seed: 5 };

describe('makeImages', () => {
  it('writes images of the wanted size and nothing else', async () => {
    const paths = await makeImages(join(folder, 'new', 'set'), 3, small);
    expect((await readdir(join(folder, 'new', 'set'))).sort()).toEqual(paths.map(path => basename(path)));
    for (const path of paths) {
      const { width, height } = decodeJpeg(await readFile(path));
      expect([width, height]).toEqual([60, 40]);
    }
  });

  it('makes the same files from the same seed, and differing ones otherwise', async () => {
    const read = (paths: string[]): Promise<string[]> => Promise.all(paths.map(path => readFile(path, 'base64')));
    const first = await read(await makeImages(join(folder, 'a'), 3, small));
    const again = await read(await makeImages(join(folder, 'b'), 3, small));
    const other = await read(await makeImages(join(folder, 'c'), 3, { ...small, seed: 6 }));
    expect(again).toEqual(first);
    expect(new Set([...first, ...other]).size).toBe(6);
  });

  it('keeps files that are there and replaces damaged ones', async () => {
    const [kept = '', damaged = ''] = await makeImages(folder, 2, small);
    const whole = await readFile(damaged);
    const past = new Date(2001, 1, 1);
    await writeFile(damaged, 'no picture');
    await utimes(kept, past, past);
    await makeImages(folder, 3, small);
    expect((await stat(kept)).mtime).toEqual(past);
    expect(await readFile(damaged)).toEqual(whole);
    expect(await readdir(folder)).toHaveLength(3);
  });

  it('makes files about as large as photographs', async () => {
    const paths = await makeImages(folder, 12, { width: 500, height: 375, seed: 1 });
    for (const path of paths) {
      const { size } = await stat(path);
      expect(size).toBeGreaterThan(35_000);
      expect(size).toBeLessThan(95_000);
    }
  });
});
