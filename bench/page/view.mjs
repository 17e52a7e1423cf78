/** `venturi view` as a process, and a page of it in Chromium. */
import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { CLI } from '../harness.mjs';

/** Starts a verb that prints an address first; gives the process and the address. */
export async function serving(args) {
  const child = spawn(process.execPath, [CLI, ...args, '--no-open'], { stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const chunk of child.stdout.iterator({ destroyOnReturn: false })) {
    return { child, url: new URL(String(chunk).split('\n')[0].trim()) };
  }
  throw new Error(`venturi ${args.join(' ')} printed no address`);
}

export const ended = child =>
  new Promise(resolve => {
    child.on('exit', resolve);
    child.stdout.resume();
    if (child.exitCode !== null || child.signalCode !== null) resolve();
    else child.kill('SIGTERM');
  });

/** Opens the page; resolves once spans are on its timeline and their totals in the table below. */
export async function openTimeline(browser, url) {
  const page = await browser.newPage({ viewport: { width: 1600, height: 1000 } });
  const tiles = tileRequests(page);
  await page.goto(url.href);
  await page.waitForFunction(isPainted, undefined, { polling: 'raf', timeout: 120_000 });
  return { page, tiles };
}

/** Runs in the page. */
function isPainted() {
  const canvas = globalThis.document.querySelector('.timeline canvas');
  if (canvas === null || canvas.width < 100) return false;
  if (globalThis.document.querySelector('.timeline tbody tr') === null) return false;
  const { data } = canvas.getContext('2d').getImageData(0, 60, canvas.width, 1);
  return data.some(value => value !== 0);
}

/** Counts what is asked for and not answered yet. The page leaves the body of a refusal unread, so that one would never be finished. */
function tileRequests(page) {
  const waiting = new Set();
  page.on('request', request => request.url().includes('/tiles/') && waiting.add(request));
  page.on('response', response => waiting.delete(response.request()));
  page.on('requestfailed', request => waiting.delete(request));
  return {
    /** Resolves once all tiles are there and drawn. */
    async settled() {
      for (let still = 0; still < STILL_FRAMES; still = waiting.size > 0 ? 0 : still + 1) await nextFrames(page);
    },
  };
}

/** So often nothing was asked for, two frames apart: what was answered is drawn. */
const STILL_FRAMES = 4;

/** Two frames: what was asked before the first is painted before the second. */
export const nextFrames = page =>
  page.evaluate(
    () => new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(() => resolve(undefined)))),
  );

/** The most resident memory of a process, in MB. */
export const peakMb = pid =>
  (Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) * 1024) / 1e6;

/** Processes of a browser, by type. */
export async function processesOf(browser, type) {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  return processInfo.filter(each => each.type === type).map(({ id }) => id);
}

/** CPU of processes so far in ms: of all their threads, and of their main threads. To a ns, where /proc/PID/stat has ticks of 10 ms. */
export function cpuMs(pids) {
  let [all, main] = [0, 0];
  for (const pid of pids) {
    for (const task of readdirSync(`/proc/${pid}/task`)) {
      const ns = Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ')[0]);
      all += ns / 1e6;
      if (task === String(pid)) main += ns / 1e6;
    }
  }
  return { all, main };
}
