import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Context } from './context.ts';

const OPENERS: Readonly<Record<string, readonly string[]>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
  linux: ['xdg-open'],
};

/**
 * Opens a page in the user's browser, where there is one. The address holds a secret, and other users of a machine see the arguments of
 * programs: the browser gets a private file that leads to it.
 */
export function openBrowser(url: string, context: Context): void {
  const [program, ...args] = OPENERS[process.platform] ?? [];
  if (program === undefined || (process.platform === 'linux' && !hasDisplay())) return;
  const folder = mkdtempSync(join(tmpdir(), 'venturi-open-'));
  context.atExit(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'open.html');
  writeFileSync(file, `<!doctype html><meta http-equiv="refresh" content="0; url=${url}">\n`, { mode: 0o600 });
  // Its failure is no news: the address was printed.
  const opener = spawn(program, [...args, pathToFileURL(file).href], { stdio: 'ignore', detached: true });
  opener.on('error', () => undefined);
  opener.unref();
}

const hasDisplay = (): boolean => Boolean(process.env.DISPLAY || process.env.WAYLAND_DISPLAY);
