/** A run that is watched: whatever becomes of the page, the run and its exit code are what they would be without it. */
import { existsSync, writeFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { afterAll, describe, expect, it } from 'vitest';
import { chromiumPath, launchChromium } from '../bench/page/chromium.mjs';
import { openPage } from './fixtures/opened-page.ts';
import { torchNeeded, torchPython } from './fixtures/python.ts';
import { PATIENCE } from './fixtures/torch-workshop.ts';
import { pause, type Started, Workshop } from './fixtures/workshop.ts';

const shop = new Workshop();
afterAll(() => shop.remove());

/** A pipeline that goes on until there is a file, and then fails. */
const UNTIL = `
import { existsSync } from 'node:fs';
function until(x: number): number {
  if (x % 1000 === 0 && existsSync(process.env.VENTURI_STOP ?? '')) throw new Error('that is enough');
  let sum = 0;
  for (let at = 0; at < 2000; at++) sum += Math.sqrt(at + x);
  return sum;
}`;
shop.pipeline('until.ts', "range(p.n).map(until, { name: 'until', parallelism: 2 })", UNTIL, '{ n: 1e15 }');

/** A loader that goes on until there is a file; then the program ends with a code of its own. */
shop.write(
  'until.py',
  `
import os, sys, time
import torch
from torch.utils.data import DataLoader, Dataset

class Numbers(Dataset):
    def __len__(self):
        return 10**9

    def __getitem__(self, index):
        time.sleep(0.002)
        return torch.zeros(4)

for batch in DataLoader(Numbers(), batch_size=8, num_workers=1):
    if os.path.exists(os.environ["VENTURI_STOP"]):
        sys.exit(7)
`,
);

/** A program under way that is watched; `stop` makes it end. */
async function watched(name: string, args: readonly string[]) {
  const stop = shop.path(`${name}.stop`);
  const started = shop.startVenturi(args, { env: { VENTURI_STOP: stop } });
  await started.says(/watch it at http\S+\n/);
  const url = new URL(/watch it at (http\S+)/.exec(started.stderr)?.[1] ?? '');
  return { started, url, stop: () => writeFileSync(stop, '') };
}

const answered = (url: URL, path: string, cookie?: string): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const headers = cookie === undefined ? {} : { cookie };
    get({ host: url.hostname, port: url.port, path, headers }, resolve).on('error', reject);
  });

/** A page that reads its events until there were two, and is then torn away; one that never reads, and one in a browser that is killed. */
async function lookAndGo(url: URL): Promise<void> {
  const entered = await answered(url, `/${url.search}`);
  entered.resume();
  const cookie = entered.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
  const [read, unread] = await Promise.all([answered(url, '/events', cookie), answered(url, '/events', cookie)]);
  unread.pause();
  let text = '';
  read.setEncoding('utf8').on('data', (part: string) => {
    text += part;
  });
  while (text.split(/^event: (?:section|news)$/m).length <= 2) await pause();
  read.destroy();
  if (chromiumPath !== undefined) {
    const browser = await launchChromium();
    const { page } = await openPage(browser, url.href);
    await page.locator('.following.live').waitFor();
    await browser.close();
  }
}

async function endOf({ finished }: Started, name: string): Promise<number> {
  const { code } = await finished;
  expect(existsSync(shop.path(`${name}.venturi`))).toBe(true);
  expect((await shop.info(name)).complete).toBe(true);
  return code;
}

describe('closing the page', () => {
  it('of `run --watch` changes nothing for the run, nor its exit code', async () => {
    const args = ['run', 'until.ts', '--watch', '--no-open', '--record', 'until'];
    const { started, url, stop } = await watched('until', args);
    await lookAndGo(url);
    expect(started.child.exitCode).toBe(null);
    stop();
    expect(await endOf(started, 'until')).toBe(5);
    expect(started.stderr).toContain('that is enough');
  });

  it.skipIf(torchPython === undefined)(
    `of \`record --watch\` changes nothing for the program, nor its exit code${torchNeeded}`,
    async () => {
      const command = [torchPython ?? '', 'until.py'];
      const args = ['record', '--no-costs', '--watch', '--no-open', '--out', 'loader', '--', ...command];
      const { started, url, stop } = await watched('loader', args);
      await lookAndGo(url);
      expect(started.child.exitCode).toBe(null);
      stop();
      expect(await endOf(started, 'loader')).toBe(7);
    },
    PATIENCE,
  );
});
