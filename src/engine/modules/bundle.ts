import { isBuiltin } from 'node:module';
import { dirname, extname } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { ImportKind, Loader, OnResolveResult, Plugin } from 'esbuild';
import { readRegularText } from '../../files/regular-file.ts';

/** The engine that loads the module must be the one the module builds its graph with, and its queries. */
const OWN: ReadonlyMap<string, string> = new Map([
  ['venturi/engine', fileURLToPath(new URL('../index.js', import.meta.url))],
  ['venturi/relational', fileURLToPath(new URL('../relational/index.js', import.meta.url))],
]);
const PACKAGE_FOLDER = fileURLToPath(new URL('../../', import.meta.url));

const TYPESCRIPT: Readonly<Record<string, Loader>> = { '.ts': 'ts', '.mts': 'ts', '.cts': 'ts', '.tsx': 'tsx' };
const JAVASCRIPT: Readonly<Record<string, Loader>> = { '.js': 'js', '.mjs': 'js', '.cjs': 'js', '.jsx': 'jsx' };
const LOADERS = { ...TYPESCRIPT, ...JAVASCRIPT };

/** Nobody writes more by hand. */
const MOST_BYTES = 64 * 2 ** 20;

/** How a file names its location, and what stands for that in a bundle. Names that it declares itself stay its own. */
const LOCATIONS = {
  'import.meta': '__venturi_meta',
  __dirname: '__venturi_meta.dirname',
  __filename: '__venturi_meta.filename',
};
const NAMES_LOCATION = /import\.meta|__dirname|__filename/;

/** What stands in front of a file's own first line. */
export const PREFIX = /^const __venturi_meta = \{.*?\};/;

/**
 * Bundles the author's own files and leaves packages where they are, under their full addresses: the bundle lies in a
 * temporary folder, from which no package could be found by name. `import.meta`, and in CommonJS `__dirname` and
 * `__filename`, keep naming the original file.
 */
export const localFiles = (): Plugin => ({
  name: 'venturi-local-files',
  setup(build) {
    build.initialOptions.define = { ...build.initialOptions.define, ...LOCATIONS };

    build.onResolve({ filter: /./ }, async ({ path: name, kind, resolveDir, pluginData }) => {
      if (pluginData === RESOLVING || kind === 'entry-point') return undefined;
      if (isBuiltin(name)) return { path: name, external: true };
      const own = OWN.get(name);
      if (own !== undefined) return outside(own, kind);
      const { path, errors } = await build.resolve(name, { kind, resolveDir, pluginData: RESOLVING });
      if (errors.length > 0) return { errors };
      return isOwn(name, path) ? { path } : outside(path, kind);
    });

    build.onLoad({ filter: /\.[mc]?[jt]sx?$/ }, async ({ path }) => {
      const text = readRegularText(path, MOST_BYTES).replace(/^#!/, '//');
      const meta = JSON.stringify({ url: pathToFileURL(path).href, filename: path, dirname: dirname(path) });
      // On the first line, so that line numbers stay.
      const contents = NAMES_LOCATION.test(text) ? `const __venturi_meta = ${meta};${text}` : text;
      return { contents, loader: LOADERS[extname(path)] ?? 'ts' };
    });

    build.onLoad({ filter: /\.json$/ }, ({ path }) => ({
      contents: readRegularText(path, MOST_BYTES),
      loader: 'json',
    }));
  },
});

const RESOLVING = Symbol('resolving');

/** The author's own code: what is named by its path, and what tsconfig maps a name to. */
function isOwn(name: string, path: string): boolean {
  if (path.startsWith(PACKAGE_FOLDER)) return false;
  if (/^[./]/.test(name)) return extname(path) in LOADERS || extname(path) === '.json';
  return extname(path) in TYPESCRIPT && !path.includes('/node_modules/');
}

/** `require` knows paths only, `import` takes addresses. */
const outside = (path: string, kind: ImportKind): OnResolveResult => ({
  path: kind.startsWith('require') ? path : pathToFileURL(path).href,
  external: true,
});
