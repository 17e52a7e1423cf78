#!/usr/bin/env node
/**
 * Makes the pictures of the guides, in docs/pictures/, from real runs on this machine: `npm run -s build && node tools/pictures.mjs`. It records the demo
 * and an example, and needs a Chromium.
 */
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { chromiumPath, launchChromium, NO_CHROMIUM } from '../bench/page/chromium.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const cli = join(root, 'dist/cli/main.js');
const pictures = join(root, 'docs/pictures');
const QUALITY = 82;
const WIDTH = 1280;

const folder = mkdtempSync(join(tmpdir(), 'venturi-pictures-'));
const venturi = (...args) =>
  execFileSync(process.execPath, [cli, ...args], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, COLUMNS: '100', NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });

if (chromiumPath === undefined) throw new Error(NO_CHROMIUM);
mkdirSync(pictures, { recursive: true });
const browser = await launchChromium();
try {
  const { tuning } = JSON.parse(venturi('demo', '--folder', 'demo', '--json'));
  const run = tuning.before.recording;
  venturi('view', run, '--out', 'before.html');
  venturi('profile', join(root, 'examples/primes.ts'), '--param', 'below=1000000', '--record', 'primes');
  venturi('view', 'primes', '--out', 'primes.html', '--full');
  await reportPictures();
  await profilePicture();
  await livePicture();
  await firstScreen(venturi('diagnose', run));
} finally {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
}

async function opened(address, height = 900) {
  const page = await browser.newPage({ viewport: { width: WIDTH, height }, colorScheme: 'light' });
  await page.goto(address.startsWith('http') ? address : pathToFileURL(join(folder, address)).href);
  await page.locator('main section').first().waitFor();
  return page;
}

/** What limits it, the timeline with what was selected, and the forecast with other resources. */
async function reportPictures() {
  const page = await opened('before.html');
  await page.locator('#section-timeline tbody tr').first().waitFor();
  await picture(page, 'verdict', page.locator('#section-diagnosis'), 760);
  await page.locator('#section-diagnosis .verdict button').click();
  await picture(page, 'timeline', page.locator('#section-timeline'), 560);
  await page.locator('#section-prediction input[name=cores]').fill('8');
  await picture(page, 'what-if', page.locator('#section-prediction'), 700);
  await picture(page, 'over-time', page.locator('#section-activity'), 620);
  await page.close();
}

async function profilePicture() {
  const page = await opened('primes.html');
  await picture(page, 'profile', page.locator('#section-profile'), 520);
  await page.close();
}

/** A run while it goes on. */
async function livePicture() {
  const example = join(root, 'examples/primes.ts');
  const args = [
    'run',
    example,
    '--param',
    'below=1000000000',
    '--record',
    'live',
    '--for',
    '14s',
    '--watch',
    '--no-open',
  ];
  const child = spawn(process.execPath, [cli, ...args], { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = new Promise(resolve => child.on('exit', resolve));
  let said = '';
  for await (const chunk of child.stderr.iterator({ destroyOnReturn: false })) {
    said += chunk;
    if (/watch it at http\S+\s/.test(said)) break;
  }
  child.stderr.resume();
  const page = await opened(/watch it at (http\S+)/.exec(said)[1]);
  await new Promise(resolve => setTimeout(resolve, 10_000));
  await picture(page, 'live', page.locator('#section-live'), 760);
  await page.close();
  await ended;
}

/** The verdict as the terminal has it, above the page. */
async function firstScreen(text) {
  const page = await opened('before.html', 720);
  await page.locator('#section-timeline tbody tr').first().waitFor();
  const shown = (await captured(page, { x: 0, y: 0, width: WIDTH, height: 720 })).toString('base64');
  const escaped = text
    .split('\n')
    .slice(0, 14)
    .join('\n')
    .replace(/[&<]/g, sign => (sign === '&' ? '&amp;' : '&lt;'));
  const html = `<!doctype html><meta charset="utf-8"><style>
    body { margin: 0; padding: 28px; background: #e9edf1; width: ${WIDTH}px }
    pre { margin: 0 0 24px; padding: 20px 24px; border-radius: 10px; background: #14191f; color: #e4e9ee; font: 17px/1.45 "DejaVu Sans Mono", monospace }
    b { color: #7fd1b9 }
    img { display: block; width: 100%; border-radius: 10px; box-shadow: 0 2px 14px #0003 }
  </style><pre><b>$ venturi diagnose run</b>\n${escaped}</pre><img src="data:image/webp;base64,${shown}">`;
  writeFileSync(join(folder, 'first.html'), html);
  const first = await browser.newPage({ viewport: { width: WIDTH + 56, height: 900 } });
  await first.goto(pathToFileURL(join(folder, 'first.html')).href);
  await picture(first, 'first-screen', first.locator('body'));
  await first.close();
  await page.close();
}

async function picture(page, name, locator, mostHeight = Number.POSITIVE_INFINITY) {
  await locator.scrollIntoViewIfNeeded();
  await page.evaluate(() => new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve))));
  const { x, y, width, height } = await locator.evaluate(element => {
    const { left, top, width: wide, height: high } = element.getBoundingClientRect();
    return { x: left + globalThis.scrollX, y: top + globalThis.scrollY, width: wide, height: high };
  });
  const file = join(pictures, `${name}.webp`);
  writeFileSync(file, await captured(page, { x, y, width, height: Math.min(height, mostHeight) }));
  process.stdout.write(`${name}.webp ${Math.round(statSync(file).size / 1000)} kB\n`);
}

/** A part of the page, in its own coordinates. */
async function captured(page, clip) {
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send('Page.captureScreenshot', {
    format: 'webp',
    quality: QUALITY,
    captureBeyondViewport: true,
    clip: { ...clip, scale: 1 },
  });
  await session.detach();
  return Buffer.from(data, 'base64');
}
