/**
 * The page: building the pyramid over ten million spans, opening a page over them and panning in Chromium, the size of the demo's page, and what it
 * costs to watch a run. `--only=pyramid,open,pan,demo,watch` leaves out the other cases, `--spans=N` makes it another number of spans.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { inChild, inFolder, option, orAbsent } from './harness.mjs';
import { demoSize } from './page/demo.mjs';
import { openCost } from './page/open.mjs';
import { pageCode } from './page/page-code.mjs';
import { pyramidBuild } from './page/pyramid.mjs';
import { writeSpans } from './page/spans.mjs';
import { watchCost } from './page/watch.mjs';

export default async function page(report, { args }) {
  const cases = option(args, 'only')?.split(',');
  const only = name => cases === undefined || cases.includes(name);
  await inFolder(async folder => {
    if (only('pyramid') || only('open') || only('pan')) await overSpans(report, { folder, only, args });
    if (only('demo')) await demoSize(report, { folder });
    if (only('watch')) await watchCost(report);
  });
}

async function overSpans(report, { folder, only, args }) {
  if (!existsSync('/proc/self/task')) {
    report({ case: 'pan/frame-cpu-ms-p95', absent: 'CPU of threads is read from /proc, which is not here' });
    return;
  }
  const spans = Number(option(args, 'spans') ?? 1e7);
  const code = await pageCode(folder);
  const { run } = await inChild(import.meta.url, [join(folder, 'spans'), spans]);
  const facts = { run, code, spans, only };
  if (only('pyramid')) await orAbsent(report, 'pyramid/build-seconds-10M', () => pyramidBuild(report, facts));
  if (only('open') || only('pan')) await openCost(report, facts);
}

// As the program of a fresh process, which writes the run: `node page.mjs FOLDER SPANS`.
if (process.argv[1] === new URL(import.meta.url).pathname) {
  const [folder, spans] = process.argv.slice(2);
  process.stdout.write(`${JSON.stringify({ run: writeSpans(folder, Number(spans)) })}\n`);
}
