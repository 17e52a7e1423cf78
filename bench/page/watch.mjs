/**
 * What watching costs: CPU of `venturi watch`, which reads the recording as it grows and serves a page that is open, by the CPU of the run. Both are
 * read from /proc, from the moment that the page has its first event until the run is about to end. What `watch` takes to start is told beside it.
 */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { CLI, inFolder, repeated, spread } from '../harness.mjs';
import { ended, serving } from './view.mjs';

const PIPELINE = fileURLToPath(new URL('../../examples/primes.ts', import.meta.url));
const RUN_SECONDS = 40;
const MEASURED_SECONDS = 25;
const ROUNDS = 3;
const TICKS_PER_SECOND = 100;

export async function watchCost(report) {
  if (!existsSync('/proc/self/stat')) {
    report({ case: 'watch/cpu-overhead', absent: 'CPU of processes is read from /proc, which is not here' });
    return;
  }
  await inFolder(async folder => {
    const rounds = await repeated(ROUNDS, round => measure(join(folder, `round-${round}`)));
    const watched = rounds.map(({ watcher, run }) => watcher / run);
    report({
      case: 'watch/cpu-overhead',
      ...spread(watched),
      unit: 'of the CPU',
      goal: '<= 0.01',
      startCpuSeconds: Math.max(...rounds.map(({ start }) => start)),
      runCores: Math.min(...rounds.map(({ run }) => run / MEASURED_SECONDS)),
      events: Math.min(...rounds.map(({ events }) => events)),
    });
  });
}

async function measure(name) {
  const run = start(['run', PIPELINE, '--param', 'below=1000000000', '--record', name, '--for', `${RUN_SECONDS}s`]);
  let watcher;
  try {
    while (!existsSync(join(`${name}.venturi`, 'run.json'))) await sleep(50);
    const { child, url } = await serving(['watch', name]);
    watcher = child;
    const page = await openPage(url);
    while (page.events === 0) await sleep(50);
    const before = { watcher: cpuOf(watcher), run: cpuOf(run), events: page.events };
    await sleep(MEASURED_SECONDS * 1000);
    const after = { watcher: cpuOf(watcher), run: cpuOf(run), events: page.events };
    return {
      start: before.watcher,
      watcher: after.watcher - before.watcher,
      run: after.run - before.run,
      events: after.events - before.events,
    };
  } finally {
    await Promise.all([watcher, run].map(child => child && ended(child)));
  }
}

const start = args => spawn(process.execPath, [CLI, ...args], { stdio: ['ignore', 'pipe', 'ignore'] });

/** CPU seconds of a process so far, all its threads together, and of those it started: `venturi run` may start itself again. */
function cpuOf({ pid }) {
  const [, utime, stime] = /\)(?: \S+){11} (\d+) (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
  const theirs = children.reduce((sum, child) => sum + cpuOf({ pid: child }), 0);
  return (Number(utime) + Number(stime)) / TICKS_PER_SECOND + theirs;
}

/** A page that reads its events. */
async function openPage(url) {
  const answer = (path, cookie) =>
    new Promise((resolve, reject) => {
      get({ host: url.hostname, port: url.port, path, headers: { ...(cookie && { cookie }) } }, resolve).on(
        'error',
        reject,
      );
    });
  const entered = await answer(`/${url.search}`);
  entered.resume();
  const page = { events: 0 };
  const events = await answer('/events', entered.headers['set-cookie'][0].split(';')[0]);
  events.on('data', part => {
    page.events += String(part).split(/^event: (?:section|news)$/m).length - 1;
  });
  events.on('error', () => undefined);
  return page;
}
