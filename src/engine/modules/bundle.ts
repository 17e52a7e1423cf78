import { readFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { extname } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Loader, Plugin } from 'esbuild';

/** The engine that loads the module must be the one the module builds its graph with. */
const ENGINE_URL = new URL('../index.js', import.meta.url).href;

const LOADERS: Readonly<Record<string, Loader>> = { '.ts': 'ts', '.mts': 'ts', '.cts': 'ts', '.tsx': 'tsx' };

/**
 * Bundles the author's own files and leaves packages where they are, under their full addresses: the bundle lies in a
 * temporary folder, from which no package could be found by name. `import.meta.url` keeps naming the original file.
 */
export const localFiles = (): Plugin => ({
  name: 'venturi-local-files',
  setup(build) {
    build.initialOptions.define = { ...build.initialOptions.define, 'import.meta.url': '__venturi_file' };

    build.onResolve({ filter: /^[^./]/ }, async args => {
      if (args.pluginData === RESOLVING || args.kind === 'entry-point') return undefined;
      if (isBuiltin(args.path)) return { path: args.path, external: true };
      if (args.path === 'venturi/engine') return { path: ENGINE_URL, external: true };
      const { path, errors } = await build.resolve(args.path, {
        kind: args.kind,
        resolveDir: args.resolveDir,
        pluginData: RESOLVING,
      });
      if (errors.length > 0) return { errors };
      // A name mapped to a local file by tsconfig paths is the author's own code.
      if (!path.includes('/node_modules/') && extname(path) in LOADERS) return { path };
      return { path: pathToFileURL(path).href, external: true };
    });

    build.onLoad({ filter: /\.(m|c)?tsx?$/ }, async args => {
      const text = await readFile(args.path, 'utf8');
      const file = JSON.stringify(pathToFileURL(args.path).href);
      // On the first line, so that line numbers stay.
      return { contents: `const __venturi_file = ${file};${text}`, loader: LOADERS[extname(args.path)] ?? 'ts' };
    });
  },
});

const RESOLVING = Symbol('resolving');
