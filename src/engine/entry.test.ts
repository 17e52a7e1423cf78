import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { expect, test } from 'vitest';

/** Packages that an entry loads at once; what is imported when it is first needed does not count. */
async function packagesOf(entry: string): Promise<string[]> {
  const file = fileURLToPath(new URL(entry, import.meta.url));
  const { metafile } = await build({
    entryPoints: [file],
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    write: false,
    metafile: true,
  });
  const packages = new Set<string>();
  const seen = new Set<string>();
  const visit = (path: string): void => {
    if (seen.has(path)) return;
    seen.add(path);
    for (const { path: to, kind, external } of metafile.inputs[path]?.imports ?? []) {
      if (kind !== 'import-statement' || to.startsWith('node:')) continue;
      if (external === true) packages.add(to);
      else visit(to);
    }
  };
  visit(relative(process.cwd(), file));
  expect(seen.size).toBeGreaterThan(10);
  return [...packages].sort();
}

// V8 looks through heaps of more than 8 MB again and again while arrays come and go: zod alone is 3 MB of each thread's.
test.each(['./index.ts', './runtime/threads/worker.ts', '../probes/engine/lane.ts'])(
  '%s, which every thread loads, brings hardly a package',
  async entry => {
    expect(['aws4fetch', 'picomatch']).toEqual(expect.arrayContaining(await packagesOf(entry)));
  },
);
