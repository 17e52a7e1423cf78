/** The page of a run in a real browser: out of a file without a network, and from the server. */
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath, launchChromium, NO_CHROMIUM } from '../bench/page/chromium.mjs';
import { runVirtually } from '../bench/virtual/pipeline.mjs';
import { METRICS } from '../src/model/metric.ts';
import { encodePage } from '../src/report/page/encoding.ts';
import { type PageServer, servePage } from '../src/server/page-server.ts';
import { recordedPage } from '../src/server/run-page.ts';
import { Line, VirtualClock } from '../src/simulation/index.ts';
import { createRun, openLane } from '../src/store/index.ts';
import { LivePage } from '../src/workflow/page/live-page.ts';
import { pageFile } from '../src/workflow/page/page-file.ts';
import { redactedPage } from '../src/workflow/page/redacted-page.ts';
import { runPage } from '../src/workflow/page/run-page.ts';
import { faultsOf } from './fixtures/accessibility.ts';
import { fillOf, fillsOf } from './fixtures/in-page.mjs';
import { openPage, shows } from './fixtures/opened-page.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const CLI = join(ROOT, 'dist/cli/main.js');
const MARKUP = `<img src=x onerror="window.pwned=1"><script>window.pwned=1</script>'"&`;
const LIBRARY = { VirtualClock, Line, createRun, openLane, METRICS };

const template = readFileSync(join(ROOT, 'dist/web/page.html'), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'venturi-page-test-'));
const venturi = (...args: string[]): string =>
  execFileSync(process.execPath, [CLI, ...args], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });

let verdict = '';
beforeAll(() => {
  venturi('run', join(ROOT, 'examples/primes.ts'), '--param', 'below=400000', '--record', 'primes');
  verdict = venturi('diagnose', 'primes').split('\n')[0] ?? '';
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A run in virtual time whose operator has that name. */
function namedRun(name: string, operator: string): string {
  const stages = [
    { id: 'read', lanes: 1, operators: [{ id: 'read', kind: 'files', sequential: true, cpu: 0.0001 }] },
    { id: 'work', lanes: 1, inputs: ['read'], operators: [{ id: operator, cpu: 0.01 }] },
  ];
  const description = { name: operator.slice(0, 60), seconds: 10, cores: 4, stages, consumer: { step: 0.0001 } };
  return runVirtually(join(folder, name), description, LIBRARY).folder;
}

const written = async (name: string, path: string, isFull = true): Promise<string> => {
  const file = join(folder, `${name}.html`);
  writeFileSync(file, pageFile(template, await (isFull ? runPage(path) : redactedPage(path))).html);
  return file;
};

describe('a page as a file', () => {
  it('is redacted unless asked, and says what it holds', async () => {
    const path = join(folder, 'primes.venturi');
    const redacted = readFileSync(await written('redacted', path, false), 'utf8');
    expect(redacted).not.toContain(folder);
    expect(redacted).not.toContain(ROOT);
    expect(redacted).toContain('Paths, arguments and names of machines were left out');
    const full = readFileSync(await written('full', path), 'utf8');
    expect(full).toContain(ROOT);
    expect(full).toContain('holds paths and arguments');
    expect(JSON.parse(venturi('view', 'primes', '--out', 'mailed.html', '--json'))).toMatchObject({ redacted: true });
  });

  it('and so is a report that is exported', () => {
    for (const format of ['html', 'markdown']) {
      const exported = (...more: string[]): string => {
        venturi('export', 'primes', '--to', format, '--out', `report.${format}`, ...more);
        return readFileSync(join(folder, `report.${format}`), 'utf8');
      };
      expect(exported()).not.toContain(ROOT.slice(1, -1));
      expect(exported()).toContain('isPrime');
      expect(exported('--full')).toContain(ROOT.slice(1, -1));
    }
  });

  it('keeps to its size, and says what it left out', async () => {
    const page = await runPage(join(folder, 'primes.venturi'));
    const whole = pageFile(template, page);
    expect(Buffer.byteLength(whole.html)).toBeLessThan(2e6);
    const room = Buffer.byteLength(template) + 60_000;
    const cut = pageFile(template, page, room);
    expect(Buffer.byteLength(cut.html)).toBeLessThanOrEqual(room);
    expect(cut.document.dropped.length).toBeGreaterThan(whole.document.dropped.length);
    for (const text of cut.document.dropped) expect(cut.html).toContain(text.replaceAll('&', '&amp;'));
  });

  it('is made of runs that are cut, empty or have a clock that goes backwards', async () => {
    const cut = join(folder, 'cut.venturi');
    cpSync(join(folder, 'primes.venturi'), cut, { recursive: true });
    for (const lane of readdirSync(join(cut, 'lanes'))) truncateSync(join(cut, 'lanes', lane), 5000);
    rmSync(join(cut, 'run.json'));
    await expect(written('cut', cut)).resolves.toBeTruthy();
    const empty = namedRun('empty', 'work');
    rmSync(join(empty, 'lanes'), { recursive: true });
    mkdirSync(join(empty, 'lanes'));
    await expect(written('empty', empty)).resolves.toBeTruthy();
    const backwards = namedRun('backwards', 'work');
    const lane = openLane(backwards, { name: 'odd#0', pid: 1, tid: 99, opened: 2_000_000_000_000n });
    const number = lane.subjectNumber('operator:work');
    for (let at = 0; at < 100; at++) lane.span(number, at, 1e12 + (at % 2 === 0 ? -at : at) * 1e7, 5e6);
    for (let at = 9; at > 0; at--) lane.counter(0, METRICS.running.code, 1e12 + at * 1e9, at * 1e9, at);
    lane.close(1e12);
    await expect(written('backwards', backwards)).resolves.toBeTruthy();
  });

  it('is refused for more operators than anybody could look at', async () => {
    const many = namedRun('many', 'work');
    const file = join(many, 'run.json');
    const manifest = JSON.parse(readFileSync(file, 'utf8'));
    const [one] = manifest.graph.operators;
    manifest.graph.operators.push(...Array.from({ length: 1e5 }, (_, at) => ({ ...one, id: `more-${at}` })));
    writeFileSync(file, JSON.stringify(manifest));
    await expect(runPage(many)).rejects.toMatchObject({ code: 'VENTURI_GRAPH_TOO_LARGE' });
    await expect(redactedPage(many)).rejects.toMatchObject({ code: 'VENTURI_GRAPH_TOO_LARGE' });
  });
});

if (chromiumPath === undefined) console.warn(`${NO_CHROMIUM}: tests of the page in a browser are skipped`);

describe.skipIf(chromiumPath === undefined)('in Chromium', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());

  const opened = (address: string, options: BrowserContextOptions = {}) => openPage(browser, address, options);
  const isPwned = (page: Page): Promise<boolean> => page.evaluate('"pwned" in globalThis');

  it('shows what diagnose says, from a file, without a network', async () => {
    const { page, faults, close } = await opened(join(folder, 'full.html'), { offline: true });
    await shows(page, verdict);
    expect(await page.title()).toContain('primes');
    expect(faults).toEqual([]);
    await close();
  });

  it('is readable without JavaScript', async () => {
    const { page, close } = await opened(join(folder, 'full.html'), { javaScriptEnabled: false });
    expect(await page.textContent('main')).toContain(verdict);
    expect(await page.locator('h1').textContent()).toBe('primes');
    expect(await page.locator('h2.part').first().textContent()).toBe('What limits it');
    await close();
  });

  it('has enough contrast without JavaScript, in light and dark', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const { page, close } = await opened(join(folder, 'full.html'), { javaScriptEnabled: false, colorScheme });
      expect(await contrast(page, '.fix'), colorScheme).toBeGreaterThan(4.5);
      await close();
    }
  });

  it('says first of a run that failed, or was cut, that it was', async () => {
    const failed = namedRun('failed', 'work');
    const manifest = JSON.parse(readFileSync(join(failed, 'run.json'), 'utf8'));
    writeFileSync(
      join(failed, 'run.json'),
      JSON.stringify({ ...manifest, outcome: { ...manifest.outcome, status: 'failed' } }),
    );
    for (const [path, word] of [
      [failed, 'failed'],
      [join(folder, 'cut.venturi'), 'incomplete'],
    ] as const) {
      const { page, close } = await opened(await written('ended', path));
      expect(await page.locator('header.top .ending').textContent()).toBe(word);
      await close();
    }
    const { page, close } = await opened(join(folder, 'full.html'));
    await shows(page, verdict);
    expect(await page.locator('header.top .ending').count()).toBe(0);
    await close();
  });

  it('has no fault of accessibility that is more than minor, in light and dark', async () => {
    const { page, close } = await opened(join(folder, 'full.html'));
    await shows(page, verdict);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      await page.locator(`html[data-theme="${colorScheme}"]`).waitFor();
      expect(await faultsOf(page), colorScheme).toEqual([]);
    }
    await close();
  });

  it('takes names that are markup, or very long, for text', async () => {
    const runs = [namedRun('markup', MARKUP), namedRun('long', 'x'.repeat(10_000))];
    for (const [at, run] of runs.entries()) {
      const { page, faults, close } = await opened(await written(`hostile-${at}`, run));
      await shows(page, at === 0 ? 'onerror=' : 'xxxxxxxx');
      expect(await isPwned(page)).toBe(false);
      expect(faults).toEqual([]);
      await close();
    }
  });

  describe('from the server', () => {
    let server: PageServer;
    beforeAll(async () => {
      server = await servePage(template, recordedPage(join(folder, 'primes.venturi')));
    });
    afterAll(() => server?.close());

    it('opens by its token, which leaves the address, also where a file leads there', async () => {
      const recorded = await servePage(template, recordedPage(join(folder, 'primes.venturi')));
      recorded.events.end();
      const leading = join(folder, 'leading.html');
      writeFileSync(leading, `<!doctype html><meta http-equiv="refresh" content="0; url=${recorded.url}">`);
      for (const address of [recorded.url, leading]) {
        const { page, faults, close } = await opened(address);
        await shows(page, verdict);
        expect(page.url()).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/(#.*)?$/);
        expect(await page.textContent('.following')).toBe('');
        expect(faults).toEqual([]);
        await close();
      }
      await recorded.close();
    });

    it('shows lanes in which nothing happened for a while without complaint', async () => {
      const busy = recordedPage(join(folder, 'primes.venturi'));
      let asked = 0;
      const tile = async (): Promise<undefined> => void asked++;
      const idle = await servePage(template, { document: () => busy.document(), tile });
      idle.events.end();
      const { page, faults, close } = await opened(idle.url);
      await shows(page, verdict);
      while (asked === 0) await new Promise(resolve => setTimeout(resolve, 10));
      await page.waitForLoadState('networkidle');
      expect(faults).toEqual([]);
      await close();
      await idle.close();
    });

    it('shows a section that changes, and nothing in it is executed', async () => {
      const { page, faults, close } = await opened(server.url);
      await shows(page, verdict);
      while (server.events.readers === 0) await new Promise(resolve => setTimeout(resolve, 10));
      const live = new LivePage(namedRun('live', MARKUP));
      live.look();
      server.events.publish('live', encodePage(live.section()));
      await shows(page, 'limited this pipeline at its end');
      await shows(page, '<img src=x onerror');
      const drawn = page.locator('svg[aria-label^="CPU of every task"]');
      const rows = await drawn.locator(':scope > g').all();
      expect(rows).toHaveLength(3);
      // What limits it has its CPU then, and a bar, in the colour of a cause; nothing else has.
      const accent = await page.locator('.brand path').evaluate(fillOf);
      for (const row of rows) {
        const isCause = (await row.locator('text').textContent())?.startsWith('<img') === true;
        const coloured = await row.locator('path, rect').evaluateAll(fillsOf);
        expect(coloured.filter(fill => fill === accent)).toHaveLength(isCause ? 2 : 0);
      }
      const legend = await page.locator('#section-live figure .legend li').allInnerTexts();
      expect(legend).toEqual(['CPU', 'CPU of the bottleneck of that time', 'was the bottleneck']);
      expect(await isPwned(page)).toBe(false);
      expect(faults).toEqual([]);
      await close();
      while (server.events.readers > 0) await new Promise(resolve => setTimeout(resolve, 10));
    });
  });
});

/** Of the text of an element and its ground (WCAG 2). */
function contrast(page: Page, selector: string): Promise<number> {
  return page
    .locator(selector)
    .first()
    .evaluate(element => {
      const style = (
        globalThis as unknown as { getComputedStyle(of: unknown): Record<string, string> }
      ).getComputedStyle(element);
      const luminance = (colour = ''): number => {
        const [red = 0, green = 0, blue = 0] = (colour.match(/[\d.]+/g) ?? []).map(part => {
          const value = Number(part) / 255;
          return value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
        });
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
      };
      const [dark = 0, light = 0] = [luminance(style.color), luminance(style.backgroundColor)].sort((a, b) => a - b);
      return (light + 0.05) / (dark + 0.05);
    });
}
