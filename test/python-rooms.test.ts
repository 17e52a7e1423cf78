import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { anyPython, PROBE, skipped } from './fixtures/python.ts';
import { Workshop } from './fixtures/workshop.ts';

const CHECK = fileURLToPath(new URL('./fixtures/python_rooms.py', import.meta.url));
const shop = new Workshop();
const trees: string[] = [];
afterAll(() => Promise.all([shop.remove(), ...trees.map(root => rm(root, { recursive: true, force: true }))]));

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function python(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> {
  return new Promise(settle => {
    const options = { env: { ...process.env, ...env } };
    const child = execFile(anyPython ?? '', args, options, (_error, stdout, stderr) =>
      settle({ code: child.exitCode ?? -1, stdout, stderr }),
    );
  });
}

async function check(files: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const root = await mkdtemp(join(tmpdir(), 'venturi-python-'));
  trees.push(root);
  for (const [path, text] of Object.entries({ '__init__.py': '', 'recording/__init__.py': '', ...files })) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
  const { code, stdout } = await python([CHECK, root]);
  const lines = stdout.trimEnd().split('\n').slice(0, -1);
  expect(code).toBe(lines.length === 0 ? 0 : 1);
  return lines;
}

describe.skipIf(anyPython === undefined)(`rooms of the probe in Python${skipped(anyPython, 'nothing')}`, () => {
  it('have no other arrows than those in the table, and no circle', async () => {
    const { code, stdout } = await python([CHECK, join(PROBE, 'venturi_probe')]);
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/^python rooms: \d+ modules, \d+ imports, no violation$/m),
    ]);
  });

  it('stand in ARCHITECTURE.md as they stand in the check', async () => {
    const table = `import sys; sys.path.insert(0, sys.argv[1]); import json, python_rooms; print(json.dumps(python_rooms.ROOMS))`;
    const { stdout } = await python(['-c', table, dirname(CHECK)]);
    const text = readFileSync(new URL('../ARCHITECTURE.md', import.meta.url), 'utf8');
    const rows = [...text.matchAll(/^\| `python\/(\S+)` \| .* \| (.*) \|$/gm)].map(([, room, imports]) => [
      room,
      imports === 'nothing' ? [] : imports?.split(', '),
    ]);
    expect(Object.fromEntries(rows)).toEqual(JSON.parse(stdout));
  });

  it('are told of a circle, though an import waits inside a function or is the name of one', async () => {
    expect(
      await check({
        'recording/hen.py': 'from . import egg\ndef lay():\n    return egg\n',
        'recording/egg.py': 'def hatch():\n    from .hen import lay\n    return lay\n',
      }),
    ).toEqual(['recording/egg → recording/hen → recording/egg: modules that import each other']);
    expect(
      await check({
        'pytorch/__init__.py': '',
        'pytorch/hooks.py': 'HOOKS = {"torch": "loaders.hen.lay", "numpy": "loaders.hen.crow"}\n',
        'pytorch/loaders/hen.py': 'def lay():\n    from ..hooks import HOOKS\n',
      }),
    ).toEqual([
      'pytorch/hooks → pytorch/loaders/hen: there is no crow in it',
      'pytorch/loaders/hen → pytorch/hooks: pytorch/loaders may import recording, hooking, pytorch/identity, pytorch/steps, pytorch/preparation',
    ]);
  });

  it('are told of an arrow that is not in the table, a folder that is no room, and what is not there', async () => {
    expect(
      await check({
        'hooking/splice.py': 'from ..recording.lane import Lane\nfrom ..recording import gone\n',
        'recording/lane.py': 'from ..hooking import splice\nclass Lane:\n    pass\n',
        'shelf/book.py': '',
      }),
    ).toEqual([
      'hooking/splice → recording: there is no recording/gone',
      'recording/lane → hooking/splice: recording may import no other room',
      'shelf/book: in no room of test/fixtures/python_rooms.py',
    ]);
  });

  const run = (name: string): Record<string, string> => {
    const folder = shop.path(name);
    mkdirSync(join(folder, 'lanes'), { recursive: true });
    writeFileSync(join(folder, 'control'), Buffer.alloc(16));
    return { VENTURI_RUN: folder };
  };

  it('of one framework are loaded when that is imported, with the settings that the recording began with', async () => {
    const program = [
      'import os, sys',
      'print(sorted(name for name in sys.modules if name.startswith("venturi_probe.pytorch.")), "ast" in sys.modules)',
      'os.environ.clear()',
      'from venturi_probe.pytorch import hooks',
      'print(all(callable(hooks.hook_at(place)) for place in hooks.HOOKS.values()))',
      'from venturi_probe.pytorch.loaders import dataloader, loading, overrides',
      'print(loading.counts.most, dataloader._ends_program, overrides.are_wanted(), dataloader.facts.is_redacted())',
    ].join('\n');
    const settings = {
      VENTURI_BATCHES: '7',
      VENTURI_THEN_STOP: '1',
      VENTURI_LOADERS: '{"a": {}}',
      VENTURI_REDACT: '1',
    };
    const env = { ...run('kept'), ...settings, PYTHONPATH: join(PROBE, 'inject') };
    expect(await python(['-c', program], env)).toEqual({
      code: 0,
      stdout: "['venturi_probe.pytorch.foreign', 'venturi_probe.pytorch.hooks'] False\nTrue\n7 True True True\n",
      stderr: '',
    });
  });

  it('that are gone when they are needed end the recording, not the program', async () => {
    const copy = shop.path('copy');
    cpSync(PROBE, copy, { recursive: true });
    rmSync(join(copy, 'venturi_probe/pytorch/libraries'), { recursive: true });
    shop.write('cv2.py', 'seen = 1\n');
    const env = { ...run('gone'), PYTHONPATH: `${join(copy, 'inject')}:${shop.folder}` };
    const { code, stdout, stderr } = await python(['-c', 'import cv2; print(cv2.seen)'], env);
    expect([code, stdout]).toEqual([0, '1\n']);
    expect(stderr).toMatch(/^venturi: recording stopped \(ModuleNotFoundError: .*\); the program goes on\n$/);
  });
});
