import { existsSync, readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ScratchFolder } from '../engine/fixtures/scratch-folder.fixture.ts';
import { demo } from './demo.ts';

test('is interrupted between two images, and says what it was at', async () => {
  const scratch = new ScratchFolder();
  const stop = new AbortController();
  const making = demo({ folder: scratch.path, images: 1000, signal: stop.signal, onStep: () => stop.abort() });
  await expect(making).rejects.toMatchObject({
    code: 'VENTURI_INTERRUPTED',
    message: expect.stringContaining('images'),
  });
  expect(existsSync(scratch.path)).toBe(true);
  expect(readdirSync(`${scratch.path}/images`).length).toBeLessThan(2);
  scratch.remove();
});
