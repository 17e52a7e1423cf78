import { mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Finished, Workshop } from './fixtures/workshop.ts';

const SCRIPT = fileURLToPath(new URL('../tools/current-torch.sh', import.meta.url));

let workshop: Workshop;
beforeAll(() => {
  workshop = new Workshop();
});
afterAll(() => workshop.remove());

/** The script where there is no package to be had. */
const run = (cache: string, env: Readonly<Record<string, string>> = {}): Promise<Finished> =>
  workshop.start('/bin/bash', [SCRIPT], {
    env: { XDG_CACHE_HOME: workshop.path(cache), PIP_NO_INDEX: '1', PIP_FIND_LINKS: '', ...env },
  }).finished;

const REFUSAL = /^NO CURRENT PYTORCH \(.+\): .*skipped.*\n$/m;

describe.skipIf(process.platform !== 'linux')('a Python with the current PyTorch', () => {
  it('that cannot be had is said so in one line, and leaves nothing behind', async () => {
    const { code, stdout, stderr } = await run('empty');
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(REFUSAL);
    expect(readdirSync(workshop.path('empty/venturi'))).toEqual(['current-torch.lock']);
  });

  it('is not begun without the tools that bound it', async () => {
    const { code, stdout, stderr } = await run('toolless', { PATH: '/nonexistent' });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^NO CURRENT PYTORCH \(timeout is not here\)/);
  });

  it('is used again where it is complete, and of the packages that are wanted', async () => {
    const home = 'made/venturi/current-torch';
    mkdirSync(workshop.path(`${home}/bin`), { recursive: true });
    symlinkSync('/bin/true', workshop.path(`${home}/bin/python`));
    const wanted = /^packages=\((.*)\)$/m.exec(readFileSync(SCRIPT, 'utf8'))?.[1];
    workshop.write(`${home}/complete`, `${wanted}\n`);
    expect(await run('made')).toMatchObject({
      code: 0,
      stdout: `${workshop.path(`${home}/bin/python`)}\n`,
      stderr: '',
    });
    workshop.write(`${home}/complete`, 'torch\n');
    expect(await run('made')).toMatchObject({ code: 1, stdout: '' });
  });
});
