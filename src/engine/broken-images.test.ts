import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { decodeJpeg, decodePng } from '../io/media/decode-image.ts';
import { encodeJpeg } from '../io/media/jpeg.ts';
import { define } from './api/define.ts';
import type { Pipeline } from './description/pipeline.ts';
import { failureOf } from './fixtures/outcome.fixture.ts';
import { files, readFile, readFileAsync } from './sources/files.ts';

const folder = mkdtempSync(join(tmpdir(), 'broken-images-'));
afterAll(() => rmSync(folder, { recursive: true }));
const whole = join(folder, 'whole.jpg');
writeFileSync(whole, encodeJpeg({ width: 8, height: 8, channels: 3, data: new Uint8Array(192) }, 90));
const broken = join(folder, 'broken.jpg');
writeFileSync(broken, readFileSync(whole).subarray(0, 60));
const png = join(folder, 'broken.png');
writeFileSync(png, Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'));
const copy = join(folder, 'copy.jpg');
copyFileSync(whole, copy);

const failure = (pipeline: Pipeline<unknown>): Promise<{ code: string; message: string }> =>
  failureOf(
    define({ url: import.meta.url }, { spec: {}, build: () => pipeline })
      .run({ parallelism: 0 })
      .drain(),
  ) as Promise<{ code: string; message: string }>;

const list = files([whole, copy, broken]);

describe('an image that is broken', () => {
  it.each<[string, Pipeline<unknown>]>([
    ['decode', list.map(readFile).decode()],
    ['decode', list.map(readFileAsync).decode()],
    ['decode of bytes with a path', list.map(file => ({ path: file.path, bytes: readFile(file).slice() })).decode()],
    ['decodeJpeg', list.map(readFile).map(decodeJpeg)],
    ['a function that does both', list.map(file => decodeJpeg(readFile(file)))],
  ])('is told by its file and its number: %s', async (_, pipeline) => {
    const { code, message } = await failure(pipeline);
    expect(code).toBe('VENTURI_BAD_RECORD');
    expect(message).toMatch(/^'.*' failed on element 2: .*broken\.jpg: A JPEG image cannot be decoded: /);
  });

  it('may be a PNG', async () => {
    for (const pipeline of [files([png]).map(readFile).decode(), files([png]).map(readFile).map(decodePng)]) {
      const { message } = await failure(pipeline);
      expect(message).toMatch(/failed on element 0: .*broken\.png: A PNG image cannot be decoded: /);
    }
  });

  it('is told by its number alone where nobody knows its file', async () => {
    const { message } = await failure(list.map(file => readFile(file).slice()).decode());
    expect(message).toMatch(/^'.*' failed on element 2: A JPEG image cannot be decoded: /);
  });

  it('is told by its file in the warning of a run that leaves it out', async () => {
    const pipeline = list.map(readFile).map(decodeJpeg, { onError: 'skip', name: 'decode' });
    const { warnings } = await define({ url: import.meta.url }, { spec: {}, build: () => pipeline })
      .run({ parallelism: 0 })
      .drain();
    expect(warnings).toEqual([
      expect.stringMatching(/^'decode' gave up 1 element; the first was element 2: .*broken\.jpg/),
    ]);
  });
});
