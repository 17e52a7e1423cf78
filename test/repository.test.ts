import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';

const ROOMS = fileURLToPath(new URL('../tools/rooms.mjs', import.meta.url));
const trees: string[] = [];

async function tree(files: Readonly<Record<string, string>>): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'venturi-rooms-'));
  trees.push(root);
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  return root;
}

interface Checked {
  readonly code: number;
  readonly stdout: string;
  readonly lines: readonly string[];
}

function checkRooms(root: string): Promise<Checked> {
  return new Promise(settle => {
    const child = execFile(process.execPath, [ROOMS, root], (_error, stdout, stderr) => {
      settle({ code: child.exitCode ?? -1, stdout, lines: stderr.split('\n').filter(line => line !== '') });
    });
  });
}

const check = async (files: Readonly<Record<string, string>>): Promise<Checked> => checkRooms(await tree(files));

afterAll(() => Promise.all(trees.map(root => rm(root, { recursive: true, force: true }))));

describe('the check of the rooms', () => {
  it('passes a tree that keeps to the arrows, and says how much it saw', async () => {
    const { code, stdout } = await check({
      'src/model/word.ts': 'export const word = 1;\n',
      'src/store/shelf.ts': "import { word } from '../model/word.ts';\nexport const shelf = [word];\n",
      'src/store/shelf.test.ts': "import { verb } from '../cli/verb.ts';\nexport const tested = verb;\n",
      'src/cli/verb.ts': "import { shelf } from '../store/shelf.ts';\nexport const verb = shelf;\n",
    });
    expect(stdout).toBe('rooms: 3 modules, 2 arrows, no violation\n');
    expect(code).toBe(0);
  });

  it('catches an arrow that is not in the table, of values and of types alike', async () => {
    const { code, lines } = await check({
      'src/engine/wheel.ts': 'export const wheel = 1;\nexport type Wheel = number;\n',
      'src/model/word.ts': "import { wheel } from '../engine/wheel.ts';\nexport const word = wheel;\n",
      'src/math/sum.ts': "import type { Wheel } from '../engine/wheel.ts';\nexport type Sum = Wheel;\n",
      'src/probes/host/cores.ts': "import { wheel } from '../../engine/wheel.ts';\nexport const cores = wheel;\n",
      'src/probes/engine/lane.ts': "import { wheel } from '../../engine/wheel.ts';\nexport const lane = wheel;\n",
    });
    expect(code).toBe(1);
    expect(lines).toEqual([
      expect.stringMatching('^src/math/sum.ts → src/engine/wheel.ts: math may import no other room'),
      expect.stringMatching('^src/model/word.ts → src/engine/wheel.ts: model may import no other room'),
      expect.stringMatching('^src/probes/host/cores.ts → src/engine/wheel.ts: probes/host may import model'),
      'rooms: 5 modules, 3 arrows, 3 violations',
    ]);
  });

  it('catches an arrow between parts of the engine that is not in the table, and a folder that is no part', async () => {
    const { code, lines } = await check({
      'src/engine/index.ts': "export { loop } from './runtime/stage/loop.ts';\n",
      'src/engine/runtime/threads/thread.ts': "import { loop } from '../stage/loop.ts';\nexport const thread = loop;\n",
      'src/engine/runtime/stage/loop.ts': 'export const loop = 1;\n',
      'src/engine/runtime/ring/slot.ts': "import { loop } from '../stage/loop.ts';\nexport const slot = loop;\n",
      'src/engine/runtime/launch.ts': "import { thread } from './threads/thread.ts';\nexport const launch = thread;\n",
      'src/engine/gears/wheel.ts': 'export const wheel = 1;\n',
    });
    expect(code).toBe(1);
    expect(lines).toEqual([
      expect.stringMatching(
        '^src/engine/runtime/ring/slot.ts → src/engine/runtime/stage/loop.ts: runtime/ring of the engine',
      ),
      'src/engine/gears/wheel.ts: in no part of the engine in .dependency-cruiser.cjs',
      'rooms: 6 modules, 0 arrows, 2 violations',
    ]);
  });

  it('catches what a pure room may not have, cycles, tests in the product, and modules that are not there', async () => {
    const { code, lines } = await check({
      'package.json': '{ "devDependencies": { "left": "1.0.0" } }\n',
      'node_modules/left/package.json': '{ "name": "left", "version": "1.0.0", "main": "index.js" }\n',
      'node_modules/left/index.js': 'module.exports = 1;\n',
      'tools/made.ts': 'export const made = 1;\n',
      'src/model/clock.ts': "import 'node:fs';\nexport const clock = 1;\n",
      'src/report/text.ts': "import left from 'left';\nexport const text = left;\n",
      'src/engine/hen.ts': "import { egg } from './egg.ts';\nexport const hen = () => egg;\n",
      'src/engine/egg.ts': "import { hen } from './hen.ts';\nexport const egg = () => hen;\n",
      'src/store/shelf.ts': "export { proof } from './shelf.test.ts';\n",
      'src/store/shelf.test.ts': 'export const proof = 1;\n',
      'src/cli/verb.ts': "import '../../tools/made.ts';\nimport './gone.ts';\n",
    });
    expect(code).toBe(1);
    const broken = lines.map(line => /\(([\w-]+)\)$/.exec(line)?.[1]).filter(rule => rule !== undefined);
    expect(new Set(broken)).toEqual(
      new Set([
        'pure-no-node',
        'pure-no-package',
        'no-development-package',
        'no-cycle',
        'no-test',
        'no-outside',
        'not-found',
      ]),
    );
  });

  it('catches a module in no room, even one without imports', async () => {
    const { code, lines } = await check({
      'src/model/word.ts': 'export const word = 1;\n',
      'src/utils/misc.ts': 'export const misc = 1;\n',
      'src/loose.ts': 'export const loose = 1;\n',
    });
    expect(code).toBe(1);
    expect(lines).toContain('src/utils/misc.ts: in no room of .dependency-cruiser.cjs');
    expect(lines).toContain('src/loose.ts: in no room of .dependency-cruiser.cjs');
  });

  it('fails where it saw no module', async () => {
    const [bare, empty] = await Promise.all([check({}), check({ 'src/model/README.md': 'nothing\n' })]);
    expect(bare).toMatchObject({ code: 1, lines: [expect.stringContaining('no module seen'), expect.anything()] });
    expect(empty).toMatchObject({ code: 1, lines: [expect.stringContaining('no module seen'), expect.anything()] });
  });
});

describe('the lock file', () => {
  interface Locked {
    readonly dependencies?: Readonly<Record<string, string>>;
    readonly optionalDependencies?: Readonly<Record<string, string>>;
  }

  /** Where Node would look for `name` from the package at `path`, nearest first. */
  function* places(path: string, name: string): Generator<string> {
    for (let from = path; from !== ''; from = from.slice(0, Math.max(0, from.lastIndexOf('/node_modules/')))) {
      yield `${from}/node_modules/${name}`;
    }
    yield `node_modules/${name}`;
  }

  // An install leaves out builds for other platforms where the registry does not offer them; `npm ci` then refuses.
  it('holds every package that its packages name, for other platforms too', async () => {
    const text = await readFile(new URL('../package-lock.json', import.meta.url), 'utf8');
    const { packages }: { packages: Readonly<Record<string, Locked>> } = JSON.parse(text);
    const missing = Object.entries(packages).flatMap(([path, { dependencies, optionalDependencies }]) =>
      Object.keys({ ...dependencies, ...optionalDependencies })
        .filter(name => ![...places(path, name)].some(place => Object.hasOwn(packages, place)))
        .map(name => `${path} needs ${name}`),
    );
    expect(missing).toEqual([]);
  });
});
