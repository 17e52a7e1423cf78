import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { jobText } from '../../../probes/steps/kineto/trace.fixture.ts';
import { openSteps } from './read.ts';

const folder = mkdtempSync(join(tmpdir(), 'venturi-crowded-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('refuses a folder with more files than are looked at, instead of leaving some out', async () => {
  writeFileSync(join(folder, '0.json'), jobText({}));
  for (let at = 1; at < 1024; at++) writeFileSync(join(folder, `${at}.json`), '');
  expect((await openSteps(folder, undefined)).files).toEqual([join(folder, '0.json')]);
  writeFileSync(join(folder, '1024.json'), jobText({ rank: 1 }));
  await expect(openSteps(folder, undefined)).rejects.toMatchObject({ code: 'VENTURI_STEPS_UNREADABLE' });
});
