/**
 * Runs one bench by name: `node bench/main.mjs NAME [--json]`, or says what it measures and which options it takes: `NAME --help`. Benches import the package as it would be published: it
 * is packed from the finished build and unpacked into bench/node_modules/venturi.
 */
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onPath, reporter } from './harness.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));
const root = join(here, '..');

const names = readdirSync(here)
  .filter(file => file.endsWith('.mjs') && !['main.mjs', 'harness.mjs'].includes(file))
  .map(file => file.replace(/\.mjs$/, ''));

function unpack() {
  if (!existsSync(join(root, 'dist'))) throw new Error('There is no build in dist/: run `npm run build` first.');
  const modules = join(here, 'node_modules');
  if (!onPath('npm')) {
    // On a machine that got Node and the built package alone, that package is the one.
    rmSync(join(modules, 'venturi'), { recursive: true, force: true });
    mkdirSync(modules, { recursive: true });
    symlinkSync(root, join(modules, 'venturi'), 'dir');
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), 'venturi-bench-'));
  try {
    execFileSync('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder], {
      cwd: root,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const [tarball] = readdirSync(folder);
    const fresh = join(modules, `.venturi-${process.pid}`);
    mkdirSync(fresh, { recursive: true });
    execFileSync('tar', ['-xzf', join(folder, tarball), '-C', fresh, '--strip-components=1']);
    rmSync(join(modules, 'venturi'), { recursive: true, force: true });
    renameSync(fresh, join(modules, 'venturi'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The comment at the head of a bench. */
const help = name =>
  /^\/\*\*\n(.*?)\*\//s
    .exec(readFileSync(join(here, `${name}.mjs`), 'utf8'))?.[1]
    .replaceAll(/^ \* ?/gm, '')
    .trimEnd();

const args = process.argv.slice(2);
const [name] = args.filter(arg => !arg.startsWith('-'));
const options = { json: args.includes('--json'), args };

if (name === undefined || !names.includes(name)) {
  const problem = name === undefined ? 'Which bench?' : `There is no bench ${name}.`;
  process.stderr.write(`${problem} There are: ${names.sort().join(', ')}.\n`);
  process.exitCode = 2;
} else if (args.includes('--help')) {
  process.stdout.write(`${help(name)}\n`);
} else {
  unpack();
  const { default: bench } = await import(`./${name}.mjs`);
  await bench(reporter(name, options), options);
}
