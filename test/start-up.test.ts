import { readFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { Workshop } from './fixtures/workshop.ts';

const shop = new Workshop();
afterAll(() => shop.remove());

it('a plain run loads nothing of what checks, judges or forecasts recordings', async () => {
  const log = shop.path('loaded.txt');
  const hooks = shop.write(
    'hooks.mjs',
    `import { appendFileSync } from 'node:fs';
    export const load = (url, context, next) => {
      appendFileSync(${JSON.stringify(log)}, url + '\\n');
      return next(url, context);
    };`,
  );
  const register = shop.write(
    'register.mjs',
    `import { register } from 'node:module';
    register(${JSON.stringify(pathToFileURL(shop.path(hooks)).href)});`,
  );
  shop.pipeline('plain.ts', 'range(p.n).map((x: number) => x + 1)', '', '{ n: 10 }');
  const env = { NODE_OPTIONS: `--import ${pathToFileURL(shop.path(register)).href}` };
  const { code } = await shop.startVenturi(['run', 'plain.ts'], { env }).finished;
  expect(code).toBe(0);
  const loaded = readFileSync(log, 'utf8').split('\n');
  expect(loaded.some(url => url.endsWith('/dist/engine/runtime/threads/worker.js'))).toBe(true);
  expect(loaded.filter(url => url.includes('/node_modules/zod/'))).toEqual([]);
  const modules = loaded.filter(url => url.includes('/dist/')).flatMap(url => modulesIn(fileURLToPath(url)));
  expect(modules.some(module => module.startsWith('engine/runtime/'))).toBe(true);
  expect(modules.filter(module => /^(findings|prediction|tuning|store)\//.test(module))).toEqual([]);
});

/** The modules of a chunk are named by a comment each. */
const modulesIn = (path: string): string[] =>
  [...readFileSync(path, 'utf8').matchAll(/^\/\/ ([\w-]+\/[\w./-]+\.js)$/gm)].map(([, module = '']) => module);
