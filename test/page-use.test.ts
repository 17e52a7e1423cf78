/** Views of the page in a real browser: their figures are those of `--json`, keys and clicks do what they say, and pictures of them are kept. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath, launchChromium, NO_CHROMIUM } from '../bench/page/chromium.mjs';
import { runVirtually } from '../bench/virtual/pipeline.mjs';
import { METRICS } from '../src/model/metric.ts';
import { RECORD_KIND } from '../src/model/record.ts';
import { percent, preciseTime } from '../src/report/format.ts';
import type { PipelineDiagnosis } from '../src/report/results/diagnosis.ts';
import type { Block, Cell } from '../src/report/tree.ts';
import { diagnosisReport, runAgain } from '../src/report/views/diagnosis.ts';
import { predictionReport } from '../src/report/views/prediction.ts';
import { profileReport } from '../src/report/views/profile.ts';
import { runInfoReport } from '../src/report/views/run-info.ts';
import { Line, VirtualClock } from '../src/simulation/index.ts';
import { createRun, openLane, openRun } from '../src/store/index.ts';
import { findingRange } from '../web/sections/finding-range.ts';
import { isDrawn, painted, pictureOf, rowsOfSection } from './fixtures/in-page.mjs';
import { openPage } from './fixtures/opened-page.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const CLI = join(ROOT, 'dist/cli/main.js');
/** Not in the repository. */
const PICTURES = join(ROOT, 'test-output/page');

const folder = mkdtempSync(join(tmpdir(), 'venturi-views-test-'));
const venturi = (...args: string[]): string =>
  execFileSync(process.execPath, [CLI, ...args], {
    cwd: folder,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
const resultOf = (...args: string[]) => JSON.parse(venturi(...args, '--json'));

if (chromiumPath === undefined) console.warn(`${NO_CHROMIUM}: tests of the page's views are skipped`);

describe.skipIf(chromiumPath === undefined)('views of the page', () => {
  let browser: Browser;
  let diagnosis: PipelineDiagnosis;
  const file = join(folder, 'views.html');
  beforeAll(async () => {
    mkdirSync(PICTURES, { recursive: true });
    venturi(
      'profile',
      join(ROOT, 'examples/primes.ts'),
      '--param',
      'below=1000000000',
      '--for',
      '5s',
      '--record',
      'views',
    );
    venturi('view', 'views', '--out', file, '--full');
    diagnosis = resultOf('diagnose', 'views');
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** The page with its timeline drawn. */
  async function opened(options: BrowserContextOptions = {}) {
    const opening = await openPage(browser, file, { viewport: { width: 1280, height: 900 }, ...options });
    await opening.page.locator('#section-timeline tbody tr').first().waitFor();
    return opening;
  }

  it('have the figures that the verbs print', async () => {
    const { page, faults, close } = await opened({ offline: true });
    const reports: readonly (readonly [section: string, report: readonly Block[]])[] = [
      ['diagnosis', diagnosisReport(diagnosis, runAgain(diagnosis.command))],
      ['prediction', predictionReport(resultOf('predict', 'views'))],
      ['run', runInfoReport(resultOf('info', 'views'))],
      ['profile', profileReport(resultOf('profile', 'views'), 'operator')],
    ];
    for (const [section, report] of reports) {
      const wanted = rowsOf(report);
      expect(wanted.length, section).toBeGreaterThan(3);
      expect(await rowsIn(page, section), section).toEqual(expect.arrayContaining(wanted));
    }
    const boxes = await page.locator('#section-diagnosis svg.graph .box-figure').allTextContents();
    expect(boxes.filter(text => text !== '').sort()).toEqual(diagnosis.rows.map(row => percent(row.cpuShare)).sort());
    expect(faults).toEqual([]);
    await close();
  });

  it('have all time in spans below the timeline, and each chart over time in figures', async () => {
    const { page, close } = await opened();
    const shown = await rowsIn(page, 'timeline');
    const times = await spanTimes(join(folder, 'views.venturi'));
    expect(shown.map(([, time]) => time).sort()).toEqual(times.map(preciseTime).sort());
    const charts = page.locator('#section-activity figure.chart');
    expect(await charts.count()).toBeGreaterThan(2);
    for (const chart of await charts.all()) {
      expect(await chart.locator('canvas').evaluate(isDrawn)).toBe(true);
      await chart.locator('summary').click();
      expect(await chart.locator('tbody tr').count()).toBeGreaterThan(0);
    }
    await close();
  });

  it('select the operators and the time of a finding that is clicked', async () => {
    // In virtual time, where no other program can be the bottleneck.
    const stages = [
      { id: 'read', lanes: 1, operators: [{ id: 'read', kind: 'files', sequential: true, cpu: 0.0001 }] },
      { id: 'decode', lanes: 2, inputs: ['read'], operators: [{ id: 'decode', cpu: 0.01 }] },
    ];
    const description = { name: 'narrow', seconds: 10, cores: 4, stages, consumer: { step: 0.0001 } };
    runVirtually(join(folder, 'narrow'), description, { VirtualClock, Line, createRun, openLane, METRICS });
    venturi('view', 'narrow', '--out', 'narrow.html', '--full');
    const narrow: PipelineDiagnosis = resultOf('diagnose', 'narrow');
    const range = findingRange(narrow, narrow.verdict);
    const { page, close } = await openPage(browser, join(folder, 'narrow.html'));
    await page.locator('#section-diagnosis .verdict button').click();
    const link = new URLSearchParams(new URL(page.url()).hash.slice(1));
    expect(link.getAll('op')).toEqual(['decode']);
    const [from = Number.NaN, to = Number.NaN] = (link.get('t') ?? '').split('-').map(Number);
    expect(from).toBeCloseTo(range?.from ?? Number.NaN, 9);
    expect(to).toBeCloseTo(range?.to ?? Number.NaN, 9);
    await page.locator('a.box.chosen').waitFor();
    expect(await page.locator('#section-diagnosis tr.chosen').count()).toBe(2);
    // Somebody else who gets the link sees the same.
    const other = await openPage(browser, page.url());
    await other.page.locator('a.box.chosen').waitFor();
    await page.keyboard.press('Escape');
    expect(new URL(page.url()).hash).toBe('');
    await other.close();
    await close();
  });

  it('follow the keys that are listed', async () => {
    const { page, close } = await opened();
    const canvas = page.locator('.timeline canvas');
    const picture = async (): Promise<string> => {
      await page.evaluate(painted);
      return canvas.evaluate(pictureOf);
    };
    const whole = await picture();
    await page.keyboard.press('w');
    const near = await picture();
    expect(near).not.toBe(whole);
    await page.keyboard.press('d');
    expect(await picture()).not.toBe(near);
    await page.keyboard.press('r');
    const [from = Number.NaN, to = Number.NaN] = (new URLSearchParams(new URL(page.url()).hash.slice(1)).get('t') ?? '')
      .split('-')
      .map(Number);
    expect(to - from).toBeGreaterThan(0);
    await page.locator('#section-timeline').getByText('Time in spans of the selection').waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('a');
    await page.keyboard.press('s');
    await page.keyboard.press('0');
    expect(await picture()).toBe(whole);
    await page.keyboard.press('/');
    await page.keyboard.type('isPrime');
    expect(await picture()).not.toBe(whole);
    await page.keyboard.press('Escape');
    await page.keyboard.press('?');
    const keys = await page.locator('dialog.help').textContent();
    for (const does of ['zoom in', 'earlier', 'search', 'clear the selection']) expect(keys).toContain(does);
    await page.keyboard.press('Escape');
    await page.keyboard.press('k');
    await page.locator('dialog.palette input:focus').waitFor();
    await page.keyboard.type('isPrime');
    await page.keyboard.press('Enter');
    expect(page.url()).toContain('op=');
    const theme = () => page.locator('html').getAttribute('data-theme');
    const before = await theme();
    // As the system has it, light, dark.
    await page.keyboard.press('t');
    await page.keyboard.press('t');
    expect(await theme()).not.toBe(before);
    await close();
  });

  it('forecast with their sliders what the command beside them prints', async () => {
    const { page, close } = await opened();
    const section = page.locator('#section-prediction');
    const before = await section.locator('.verdict').textContent();
    await section.locator('input[name=cores]').fill('9');
    await section.locator('input[name=step]').fill('30');
    const command = (await section.locator('.sliders-foot code').textContent()) ?? '';
    expect(command).toMatch(/^venturi predict \S+ --cores 10 --step \S+$/);
    const report = predictionReport(resultOf(...command.split(' ').slice(1)));
    const verdict = report.find(block => block.type === 'verdict')?.text;
    expect(verdict).not.toBe(before);
    expect(await section.locator('.verdict').textContent()).toBe(verdict);
    expect(await rowsIn(page, 'prediction')).toEqual(expect.arrayContaining(rowsOf(report)));
    await close();
  });

  it('fit a desk, a phone and paper, in light and dark', async () => {
    const { page, close } = await opened();
    const grounds = new Set<string>();
    for (const colorScheme of ['light', 'dark'] as const) {
      for (const [name, width] of [
        ['desk', 1280],
        ['phone', 390],
      ] as const) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 900 });
        await page.evaluate(painted);
        await page.screenshot({ path: join(PICTURES, `${name}-${colorScheme}.png`), fullPage: true });
        if ((name === 'desk') === (colorScheme === 'light')) await sectionPictures(page, `${name}-${colorScheme}`);
        expect(await page.evaluate('document.documentElement.scrollWidth'), `${name} ${colorScheme}`).toBe(width);
      }
      grounds.add(await page.evaluate('getComputedStyle(document.body).backgroundColor'));
    }
    expect(grounds.size).toBe(2);
    await page.emulateMedia({ media: 'print', colorScheme: 'light' });
    await page.setViewportSize({ width: 794, height: 1123 });
    await page.screenshot({ path: join(PICTURES, 'paper.png'), fullPage: true });
    await close();
    const bare = await openPage(browser, file, { javaScriptEnabled: false, viewport: { width: 390, height: 900 } });
    await bare.page.screenshot({ path: join(PICTURES, 'without-javascript.png'), fullPage: true });
    const text = await bare.page.textContent('main');
    for (const row of diagnosis.rows) expect(text).toContain(row.label);
    await bare.close();
  });
});

/** A picture of each section, large enough to be looked at. */
async function sectionPictures(page: Page, name: string): Promise<void> {
  for (const section of await page.locator('main > section').all()) {
    await section.screenshot({ path: join(PICTURES, `${name}-${await section.getAttribute('id')}.png`) });
  }
}

const textOf = (cell: Cell): string => (typeof cell === 'string' ? cell : cell.text);

/** Rows of tables, and facts as rows, in a report. */
const rowsOf = (report: readonly Block[]): string[][] =>
  report.flatMap(block => {
    if (block.type === 'table') return block.rows.map(row => row.map(textOf));
    if (block.type === 'facts') return block.items.map(({ label, value }) => [label, value]);
    return [];
  });

/** The same of a section of the page. */
const rowsIn = (page: Page, section: string): Promise<string[][]> =>
  page.locator(`#section-${section}`).evaluate(rowsOfSection);

/** Time in spans of each subject, by looking at all records. */
async function spanTimes(path: string): Promise<number[]> {
  const times = new Map<number, number>();
  for await (const { count, kind, subject, duration } of openRun(path).records().blocks()) {
    for (let row = 0; row < count; row++) {
      const whose = subject[row] ?? -1;
      if ((kind[row] !== RECORD_KIND.span && kind[row] !== RECORD_KIND.inner) || whose < 0) continue;
      times.set(whose, (times.get(whose) ?? 0) + (duration[row] ?? 0));
    }
  }
  return [...times.values()];
}
