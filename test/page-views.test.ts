/** Views of a page in a real browser: what they draw and say is what `--json` of the verb has. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath, launchChromium } from '../bench/page/chromium.mjs';
import { jobText } from '../src/probes/steps/kineto/trace.fixture.ts';
import { count, preciseTime, quantity, rate } from '../src/report/format.ts';
import { rateWithin } from '../src/report/intervals.ts';
import type { ClusterPrediction } from '../src/report/results/cluster-prediction.ts';
import type { PipelineComparison } from '../src/report/results/comparison.ts';
import type { ProgramDiagnosis } from '../src/report/results/program-diagnosis.ts';
import type { TuneProgramResult } from '../src/report/results/program-tuning.ts';
import type { PipelineTuneResult } from '../src/report/results/tuning.ts';
import { servePage } from '../src/server/page-server.ts';
import { recordedPage } from '../src/server/run-page.ts';
import type { Attendant } from '../src/workflow/attendant.ts';
import { pageFile } from '../src/workflow/page/page-file.ts';
import { documentOf, runPage } from '../src/workflow/page/run-page.ts';
import type { WrittenPage } from '../src/workflow/page/write-page.ts';
import { tunePipeline } from '../src/workflow/targets/engine/tuner.ts';
import { tuneLoaders } from '../src/workflow/targets/pytorch/tuner.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const CLI = join(ROOT, 'dist/cli/main.js');
const recording = (name: string): string => join(ROOT, `test/golden/recordings/${name}.venturi`);
const template = readFileSync(join(ROOT, 'dist/web/page.html'), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'venturi-views-test-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Faults of accessibility, in light and dark. */
async function seriousFaults(page: Page): Promise<string[]> {
  const found: string[] = [];
  await page.evaluate(axe);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.locator(`html[data-theme="${colorScheme}"]`).waitFor();
    const faults = await page.evaluate(async () => {
      const { violations } = await (globalThis as unknown as { axe: { run(): Promise<AxeResult> } }).axe.run();
      return violations.map(({ id, impact, nodes }) => `${impact} ${id}: ${nodes[0]?.html}`);
    });
    found.push(...faults.filter(text => /^(serious|critical)/.test(text)).map(text => `${colorScheme}: ${text}`));
  }
  return found;
}

interface AxeResult {
  readonly violations: readonly {
    readonly id: string;
    readonly impact: string;
    readonly nodes: readonly { readonly html: string }[];
  }[];
}

const json = <T>(...args: string[]): T =>
  JSON.parse(execFileSync(process.execPath, [CLI, ...args, '--json'], { cwd: folder, encoding: 'utf8' })) as T;

describe.skipIf(chromiumPath === undefined)('views in Chromium', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());

  /** A page of a file that is opened without a network; nothing may have gone wrong in it when it is closed. */
  async function withPage(html: string, look: (page: Page) => Promise<void>): Promise<void> {
    const file = join(folder, 'page.html');
    writeFileSync(file, html);
    await withAddress(pathToFileURL(file).href, look, { offline: true });
  }

  async function withAddress(
    address: string,
    look: (page: Page) => Promise<void>,
    options: { readonly offline?: boolean } = {},
  ): Promise<void> {
    const context = await browser.newContext(options);
    const page = await context.newPage();
    const faults: string[] = [];
    page.on('pageerror', error => faults.push(error.message));
    page.on('console', message => {
      if (message.type() === 'error') faults.push(message.text());
    });
    await page.goto(address);
    await look(page);
    expect(faults).toEqual([]);
    expect(await seriousFaults(page)).toEqual([]);
    await context.close();
  }

  const section = (page: Page, id: string): Locator => page.locator(`#section-${id}`);
  const htmlOf = async (path: string): Promise<string> => pageFile(template, await runPage(path)).html;

  it('shows batches with their times; one that is clicked is selected', async () => {
    const path = recording('program-workers');
    const { loaders } = json<ProgramDiagnosis>('diagnose', path);
    await withPage(await htmlOf(path), async page => {
      const batches = section(page, 'batches');
      for (const { summary } of loaders) {
        const drawn = batches.locator('svg.batches', { hasText: `batches of ${summary.name} over` });
        // The longest time of each row stands beside it.
        expect(await drawn.locator('.most').allTextContents()).toEqual(
          [summary.preparation.most, summary.wait.most, summary.delay.most].map(preciseTime),
        );
      }
      // Sorted by wait, unless another time is asked for.
      const table = batches.locator('table').first();
      const shown = (column: number): Locator => table.locator('tbody tr').first().locator('td').nth(column);
      expect(await shown(2).textContent()).toBe(preciseTime(loaders[0]?.summary.wait.most));
      await table.getByRole('button', { name: 'delay' }).click();
      expect(await shown(3).textContent()).toBe(preciseTime(loaders[0]?.summary.delay.most));
      await table
        .getByRole('button', { name: /^batch/ })
        .first()
        .click();
      await page.waitForURL(/#t=\d/);
      expect(await table.locator('tr.chosen').count()).toBe(1);
      // The totals of the timeline are now those of that time.
      await section(page, 'timeline').getByText('Time in spans of the selection').waitFor();
      // Drawn anew where the system goes dark.
      const canvas = section(page, 'timeline').locator('canvas');
      const drawn = (): Promise<string> =>
        canvas.evaluate(element => (element as unknown as { toDataURL(): string }).toDataURL());
      const light = await drawn();
      await page.emulateMedia({ colorScheme: 'dark' });
      await expect.poll(drawn).not.toBe(light);
    });
  });

  it('shows a run beside another', async () => {
    const [before, after] = [recording('pipeline-joined-0.1.0'), recording('pipeline-joined')];
    const { runs, operators } = json<PipelineComparison>('compare', before, after);
    json('view', after, '--with', before, '--out', 'compared.html', '--full');
    await withPage(readFileSync(join(folder, 'compared.html'), 'utf8'), async page => {
      const compared = section(page, 'comparison');
      await compared.getByRole('heading', { name: 'Stages side by side' }).waitFor();
      const rows = async (at: number): Promise<string[][]> => {
        const found = await compared.locator('table.compared').nth(at).locator('tbody tr').all();
        return Promise.all(found.map(row => row.locator('td').allTextContents()));
      };
      const [rates] = await rows(0);
      expect(rates?.slice(2, 4)).toEqual(runs.map(run => rate(run.rate.estimate)));
      const shown = new Map((await rows(1)).map(([label, , ...values]) => [label, values]));
      const compare = operators.filter(({ cpuPerElement }) => cpuPerElement.some(cpu => (cpu?.estimate ?? 0) > 0));
      expect(shown.size).toBe(compare.length);
      for (const { label, cpuPerElement } of compare) {
        const times = cpuPerElement.map(cpu => (cpu === undefined ? '' : preciseTime(1e9 * cpu.estimate)));
        expect(shown.get(label)?.slice(0, 2)).toEqual(times);
      }
      // Sections of the run itself follow.
      expect(await page.locator('main > section').first().getAttribute('id')).toBe('section-comparison');
      await section(page, 'diagnosis').waitFor();
    });
    const redacted = json<WrittenPage>('view', after, '--with', before, '--out', 'mailed.html');
    expect(redacted.redacted).toBe(true);
    expect(readFileSync(join(folder, 'mailed.html'), 'utf8')).not.toContain(ROOT);
  });

  it('shows a plan before and after', async () => {
    const kept = readFileSync(join(ROOT, 'test/golden/recordings/tuned-pipeline.json'), 'utf8');
    const tuned = JSON.parse(kept) as PipelineTuneResult;
    const nobody = { signal: new AbortController().signal, say: () => undefined } as unknown as Attendant;
    const workflow = { tune: async () => tuned, savePlan: () => undefined };
    const answer = await tunePipeline(['pipeline.ts'], { json: true }, nobody, workflow);
    const document = documentOf('tuned', [answer.section()], false);
    await withPage(pageFile(template, { document, pyramid: undefined }).html, async page => {
      const [before, after] = [0, 1].map(at => section(page, 'tuning').locator('.plan-sides > section').nth(at));
      const [first, second] = tuned.tried;
      expect(await before?.locator('h3').textContent()).toContain(rateWithin(tuned.before.measured));
      expect(await after?.locator('h3').textContent()).toContain(rateWithin(first?.measured ?? tuned.before.measured));
      await after?.locator('.box').first().waitFor();
      expect(await before?.locator('.box-operator').count()).toBe(tuned.before.graph.operators.length);
      expect(await after?.locator('.box-operator').count()).toBe(first?.graph.operators.length);
      expect(await before?.locator('.box-note').allTextContents()).toEqual(['− parallelism 2']);
      await section(page, 'tuning').getByLabel('plan 2').check();
      expect(await after?.locator('.box-note').allTextContents()).toEqual(Array(3).fill('+ parallelism 1'));
      expect(await after?.locator('h3').textContent()).toContain(rateWithin(second?.measured ?? tuned.before.measured));
    });
  });

  it('shows a loader before and after', async () => {
    const kept = readFileSync(join(ROOT, 'test/golden/recordings/tuned-program.json'), 'utf8');
    const tuned = JSON.parse(kept) as TuneProgramResult;
    const nobody = { onSignal: () => undefined, say: () => undefined, warn: () => undefined } as unknown as Attendant;
    const answer = await tuneLoaders(['python3', 'train.py'], {}, nobody, { tuneProgram: async () => tuned });
    const document = documentOf('tuned', [answer.section()], false);
    await withPage(pageFile(template, { document, pyramid: undefined }).html, async page => {
      const [measured] = await section(page, 'tuning').locator('table.compared tbody tr').all();
      const cells = (await measured?.locator('td').allTextContents()) ?? [];
      const rates = [tuned.before, ...tuned.trials.map(trial => trial.measured)].map(each => rate(each.estimate));
      expect(cells.slice(2, 2 + rates.length)).toEqual(rates);
    });
  });

  it('shows ranks of a training side by side, and how long their operators took', async () => {
    const path = recording('program-ranks');
    const { loaders } = json<ProgramDiagnosis>('diagnose', path);
    await withPage(await htmlOf(path), async page => {
      const rows = await section(page, 'diagnosis').locator('table.beside tbody tr').all();
      const shown = await Promise.all(rows.map(row => row.locator('td').allTextContents()));
      const [summary] = loaders.map(loader => loader.summary);
      expect(shown.map(cells => [cells[3], cells[4]])).toEqual(
        [summary, ...(summary?.ranks ?? [])].map(each => [count(each?.batches), rate(each?.elementsPerSecond)]),
      );
      expect(shown.filter(([name]) => name?.includes('the others wait for it'))).toHaveLength(1);

      const times = await section(page, 'times').locator('tbody tr').all();
      expect(times).toHaveLength(summary?.operators.length ?? Number.NaN);
      const told = await Promise.all(times.map(row => row.locator('td').allTextContents()));
      for (const { operator, timed, mean, p50, p90, p99 } of summary?.operators ?? []) {
        const cells = told.find(([name]) => name === operator);
        expect(cells?.slice(2)).toEqual([count(timed), ...[mean, p50, p90, p99].map(preciseTime)]);
      }
      expect(await section(page, 'times').locator('svg.histogram rect').count()).toBeGreaterThanOrEqual(times.length);
    });
  });

  it('simulates clusters in a worker of its own, under the policies of a file and of the server', async () => {
    const trace = join(folder, 'steps.json');
    writeFileSync(trace, jobText({}));
    const said = (bandwidth: string): string[] =>
      json<ClusterPrediction>(
        ...['predict', trace, '--replicas', '1,2,4,8,16,32', '--bandwidth', bandwidth],
      ).points.map(({ throughput }) => quantity(throughput.estimate));
    const [first, slower] = [said('10Gbit'), said('1Gbit')];
    const look = async (page: Page): Promise<void> => {
      const clusters = section(page, 'scaleout');
      const shown = clusters.locator('table').first().locator('tbody tr td:nth-child(2)');
      await shown.first().waitFor();
      expect(await shown.allTextContents()).toEqual(first);
      await clusters.getByLabel('Bandwidth of a host').fill('3');
      await expect.poll(() => shown.allTextContents(), { timeout: 60_000 }).toEqual(slower);
      expect(await clusters.locator('.sliders code').textContent()).toContain('--bandwidth 1Gbit --mode allreduce');
    };
    await withPage(await htmlOf(trace), look);
    const server = await servePage(template, recordedPage(trace));
    server.events.end();
    await withAddress(server.url, look);
    await server.close();
  });
});
