#!/usr/bin/env node
/**
 * Builds `dist/`: compiles beside it, then puts the new folder in its place. Until then the old one stays usable, and a
 * build that fails leaves it as it was. Two builds at once are fine: the last one to finish stays.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundle } from './bundle.mjs';
import { buildPage } from './page.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');
const fresh = join(root, `.dist-${process.pid}`);
const stale = `${fresh}-old`;

function node(script, ...args) {
  const { status, error } = spawnSync(process.execPath, [script, ...args], { cwd: root, stdio: 'inherit' });
  if (error) throw error;
  return status === 0;
}

async function compile() {
  const compiler = dirname(createRequire(import.meta.url).resolve('@typescript/native/package.json'));
  const schema = join(root, 'tools/schema.mjs');
  if (!node(join(compiler, 'bin/tsc'), '-p', 'tsconfig.build.json', '--outDir', fresh)) return false;
  if (existsSync(schema) && !node(schema, fresh)) return false;
  await bundle(fresh);
  await buildPage(fresh);
  chmodSync(join(fresh, 'cli/main.js'), 0o755);
  return true;
}

/** Node cannot exchange two folders in one step, so another build may come between: then its folder is the stale one. */
function swap() {
  for (let attempt = 1; ; attempt++) {
    try {
      if (existsSync(dist)) renameSync(dist, stale);
      renameSync(fresh, dist);
      return;
    } catch (error) {
      const overtaken = ['ENOENT', 'ENOTEMPTY', 'EEXIST'].includes(error.code);
      if (!overtaken || attempt === 20) throw error;
    } finally {
      rmSync(stale, { recursive: true, force: true });
    }
  }
}

try {
  if (await compile()) swap();
  else process.exitCode = 1;
} finally {
  rmSync(fresh, { recursive: true, force: true });
}
