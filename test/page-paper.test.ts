/** The page on paper and on a phone, in a real browser. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath, launchChromium, NO_CHROMIUM } from '../bench/page/chromium.mjs';
import { faultsOf } from './fixtures/accessibility.ts';
import { groundOf, isFocused, isInView, keepPrinted, painted, picturesOf } from './fixtures/in-page.mjs';
import { openPage } from './fixtures/opened-page.ts';

const CLI = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url));
const RUN = fileURLToPath(new URL('./golden/recordings/pipeline-profiled.venturi', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'venturi-paper-test-'));
const file = join(folder, 'full.html');

if (chromiumPath === undefined) console.warn(`${NO_CHROMIUM}: tests of the page on paper and phones are skipped`);

describe.skipIf(chromiumPath === undefined)('the page', () => {
  let browser: Browser;
  beforeAll(async () => {
    execFileSync(process.execPath, [CLI, 'view', RUN, '--full', '--out', file], { stdio: 'ignore' });
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it.each([
    ['a dark system', { colorScheme: 'dark' }, []],
    ['the dark button', { colorScheme: 'light' }, ['t', 't']],
  ] as const)('is printed in light from %s, with its drawings and without its controls', async (_, options, keys) => {
    const { page, close } = await openPage(browser, file, options);
    await page.locator('#section-timeline tbody tr').first().waitFor();
    for (const key of keys) await page.keyboard.press(key);
    const theme = () => page.locator('html').getAttribute('data-theme');
    const pictures = async (): Promise<string[]> => {
      await page.evaluate(painted);
      return page.locator('canvas').evaluateAll(picturesOf);
    };
    const controls = page.locator('main input:visible, .sliders:visible, .timeline-tools:visible');
    expect(await theme()).toBe('dark');
    expect(await controls.count()).toBeGreaterThan(0);
    const onScreen = await pictures();
    expect(onScreen.length).toBeGreaterThan(2);
    const printed = async (of: Page): Promise<unknown> => {
      await of.evaluate(keepPrinted);
      await of.pdf();
      return of.evaluate('printed');
    };
    const light = await openPage(browser, file);
    await light.page.locator('#section-timeline tbody tr').first().waitFor();
    await light.page.evaluate(painted);
    const onPaper = await printed(light.page);
    await light.close();

    expect(await printed(page)).toEqual(onPaper);
    await expect.poll(pictures).toEqual(onScreen);
    // Firefox prints a copy of the page, and tells of that by these events alone.
    await page.evaluate('dispatchEvent(new Event("beforeprint"))');
    expect(await page.locator('canvas').evaluateAll(picturesOf)).toEqual(onPaper);
    await page.evaluate('dispatchEvent(new Event("afterprint"))');
    expect(await theme()).toBe('dark');
    await expect.poll(pictures).toEqual(onScreen);

    await page.emulateMedia({ media: 'print', ...options });
    await expect.poll(theme).toBe('light');
    expect(await controls.count()).toBe(0);
    expect(await page.locator('h1').isVisible()).toBe(true);
    await page.emulateMedia({ media: 'screen', ...options });
    await expect.poll(theme).toBe('dark');
    await expect.poll(pictures).toEqual(onScreen);
    await close();
  });

  it('is printed in light without JavaScript, too', async () => {
    const { page, close } = await openPage(browser, file, { javaScriptEnabled: false, colorScheme: 'dark' });
    const ground = (): Promise<string> => page.locator('body').evaluate(groundOf);
    expect(await ground()).not.toBe('rgb(255, 255, 255)');
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    expect(await ground()).toBe('rgb(255, 255, 255)');
    expect(await page.locator('nav').isVisible()).toBe(false);
    await close();
  });

  it.each([true, false])('has a list of sections on a phone (JavaScript: %s)', async javaScriptEnabled => {
    const viewport = { width: 390, height: 844 };
    const { page, close } = await openPage(browser, file, { javaScriptEnabled, viewport });
    if (javaScriptEnabled) await page.locator('main > section').first().waitFor();
    const list = page.getByRole('navigation', { name: 'Sections' });
    const links = list.getByRole('link');
    expect(await list.count()).toBe(1);
    expect(await links.count()).toBe(0);
    // By keys alone.
    const isAt = (what: Locator): Promise<boolean> => what.evaluate(isFocused);
    const summary = list.locator('summary');
    for (let tabs = 0; !(await isAt(summary)); tabs++) {
      expect(tabs).toBeLessThan(10);
      await page.keyboard.press('Tab');
    }
    await page.keyboard.press('Enter');
    const titles = await links.allTextContents();
    expect(titles).toEqual(
      await page.locator(javaScriptEnabled ? 'main h2.section-name' : 'h2.part').allTextContents(),
    );
    for (const _ of titles) await page.keyboard.press('Tab');
    const last = links.last();
    expect(await isAt(last)).toBe(true);
    if (javaScriptEnabled) expect(await faultsOf(page)).toEqual([]);
    await page.keyboard.press('Enter');
    const heading = page.locator(javaScriptEnabled ? 'main h2.section-name' : 'h2.part').last();
    await expect.poll(() => heading.evaluate(isInView)).toBe(true);
    if (javaScriptEnabled) expect(await links.count()).toBe(0);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(viewport.width);
    await close();
  });
});
