/** The page in Firefox: it opens, follows its server and draws. Without a Firefox it is skipped, by name. */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { servePage } from '../src/server/page-server.ts';
import { recordedPage } from '../src/server/run-page.ts';
import { pause } from './fixtures/workshop.ts';

const PLACES = [process.env.VENTURI_FIREFOX ?? '', '/usr/bin/firefox-esr', '/usr/bin/firefox'];
const firefox = PLACES.find(path => path !== '' && existsSync(path));
const RUN = fileURLToPath(new URL('./golden/recordings/pipeline-profiled.venturi', import.meta.url));
const PATIENCE = 60_000;

it.skipIf(firefox === undefined)(
  `the page opens in Firefox${firefox === undefined ? ' (skipped: no Firefox; VENTURI_FIREFOX=PATH)' : ''}`,
  async () => {
    const template = readFileSync(new URL('../dist/web/page.html', import.meta.url), 'utf8');
    const recorded = recordedPage(RUN);
    const asked = new Set<string>();
    const server = await servePage(template, {
      document: recorded.document,
      tile: (series, level, index) => {
        asked.add(series);
        return recorded.tile(series, level, index);
      },
    });
    const profile = mkdtempSync(join(tmpdir(), 'venturi-firefox-'));
    const args = ['--headless', '--no-remote', '--profile', profile, server.url];
    const browser = spawn(firefox ?? '', args, { stdio: 'ignore', env: { ...process.env, HOME: profile } });
    const left = new Promise(resolve => browser.on('exit', resolve));
    try {
      // It listens to events, and asks for tiles: the script ran, and the timeline is drawn.
      while (server.events.readers === 0 || asked.size === 0) {
        expect(browser.exitCode).toBe(null);
        await pause();
      }
    } finally {
      browser.kill('SIGKILL');
      await left;
      await server.close();
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
    }
  },
  PATIENCE,
);
