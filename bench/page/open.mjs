/**
 * Opening a page over ten million spans, in Chromium, by the clock: from the request until spans are on the timeline, with the pyramid built; and the
 * first `venturi view`, from its start on.
 */
import { performance } from 'node:perf_hooks';
import { repeated, spread } from '../harness.mjs';
import { chromiumPath, launchChromium, NO_CHROMIUM } from './chromium.mjs';
import { panCost } from './pan.mjs';
import { ended, openTimeline, peakMb, serving } from './view.mjs';

const ROUNDS = 5;

export async function openCost(report, { run, code, spans, only }) {
  if (chromiumPath === undefined) {
    for (const name of ['open/seconds-10M', 'pan/frame-cpu-ms-p95']) report({ case: name, absent: NO_CHROMIUM });
    return;
  }
  const browser = await launchChromium();
  let server;
  try {
    const since = performance.now();
    server = await serving(['view', run]);
    const served = performance.now();
    const { page } = await openTimeline(browser, server.url);
    const shown = performance.now();
    await page.close();
    const serverMb = peakMb(server.child.pid);
    if (only('open')) {
      const rounds = await repeated(ROUNDS, async () => {
        const start = performance.now();
        const opened = await openTimeline(browser, server.url);
        const seconds = (performance.now() - start) / 1000;
        await opened.page.close();
        return seconds;
      });
      report({
        case: 'open/seconds-10M',
        ...spread(rounds),
        unit: 's',
        goal: '<= 2',
        firstView: (shown - since) / 1000,
        firstServed: (served - since) / 1000,
        serverMb,
      });
    }
    if (only('pan')) await panCost(report, { browser, url: server.url, code, spans, server: server.child.pid });
  } finally {
    await browser.close();
    if (server !== undefined) await ended(server.child);
  }
}
