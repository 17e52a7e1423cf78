import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { build } from 'esbuild';

/** A module that the code starts or imports by its address: a thread, a probe, a pipeline. */
const ADDRESSED = /new URL\('(\.[^']+\.js)', import\.meta\.url\)/g;

const modulesIn = folder =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter(name => name.endsWith('.js'))
    .map(name => join(folder, name));

/** What others name: the package's exports and commands, and modules started by address. */
function entryPoints(folder, modules) {
  const { bin, exports } = JSON.parse(readFileSync('package.json', 'utf8'));
  const named = [...Object.values(bin), ...Object.values(exports).map(({ default: path }) => path)]
    .filter(path => path?.endsWith('.js'))
    .map(path => join(folder, relative('dist', path)));
  const addressed = modules.flatMap(module =>
    [...readFileSync(module, 'utf8').matchAll(ADDRESSED)].map(([, path]) => resolve(dirname(module), path)),
  );
  return [...new Set([...named, ...addressed])];
}

/** Wherever a module's code ends up, addresses relative to it stay those of its place under `dist/`. */
const keptAddresses = folder => ({
  name: 'kept-addresses',
  setup({ onLoad }) {
    onLoad({ filter: /\.js$/ }, ({ path }) => {
      if (!path.startsWith(folder)) return undefined;
      const place = JSON.stringify(relative(folder, path));
      const root = `import.meta.url.slice(0, import.meta.url.lastIndexOf('/dist/') + '/dist/'.length)`;
      return { contents: readFileSync(path, 'utf8').replaceAll('import.meta.url', `new URL(${place}, ${root}).href`) };
    });
  },
});

/**
 * Puts the modules of a compiled folder together, in place: a thread or a command then loads a dozen files instead of hundreds, at half
 * the cost. A module is still there once, in the chunk of those that need it, and nothing is loaded that was not before.
 */
export async function bundle(folder) {
  const modules = modulesIn(folder);
  const { metafile } = await build({
    entryPoints: entryPoints(folder, modules),
    // Comments name a chunk's modules by their place in it.
    absWorkingDir: folder,
    outdir: folder,
    outbase: folder,
    allowOverwrite: true,
    bundle: true,
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    plugins: [keptAddresses(folder)],
    metafile: true,
    logLevel: 'warning',
  });
  const written = new Set(Object.keys(metafile.outputs).map(path => resolve(folder, path)));
  for (const module of modules) if (!written.has(module)) rmSync(module);
}
