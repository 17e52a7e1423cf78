import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { FakeContext } from './fake-context.fixture.ts';
import { runProgram } from './program.ts';

async function venturi(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const context = new FakeContext();
  const code = await runProgram(args, context);
  return { code, stdout: context.stdout, stderr: context.stderr };
}

test('without arguments it shows what to do first', async () => {
  const { code, stdout } = await venturi();
  expect(code).toBe(0);
  expect(stdout).toMatchInlineSnapshot(`
    "Venturi finds the narrow place in a dataflow pipeline.

    Start here
      command                            what it does
      venturi demo                       try it: a pipeline over generated images
      venturi run my.ts --record first   run your own pipeline and record it
      venturi record -- python train.py  record the DataLoaders of a PyTorch program
      venturi diagnose first             say what limits it, and what to change
      venturi predict first --cores 16   say how fast it could be
      venturi tune my.ts                 make it faster: plan changes, and try them
      venturi info first                 show where a recorded run spent its time
      venturi doctor                     check what works on this machine

    All verbs: venturi help. One verb: venturi help run.
    "
  `);
});

test('--version prints the version of the package', async () => {
  const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  expect(await venturi('--version')).toEqual({ code: 0, stdout: `${manifest.version}\n`, stderr: '' });
});

describe('help', () => {
  test('lists the verbs', async () => {
    const { code, stdout } = await venturi('--help');
    expect(code).toBe(0);
    for (const verb of ['run', 'diagnose', 'predict', 'compare', 'info', 'doctor', 'demo'])
      expect(stdout).toMatch(new RegExp(`^  ${verb} `, 'm'));
  });

  test('explains a verb', async () => {
    const { code, stdout } = await venturi('help', 'run');
    expect(code).toBe(0);
    expect(stdout).toContain('--set <setting>');
  });
});

describe('wrong usage', () => {
  test('a typo gets a suggestion and the verbs', async () => {
    expect(await venturi('rnu', 'x.ts')).toEqual({
      code: 2,
      stdout: '',
      stderr:
        "error VENTURI_USAGE: unknown command 'rnu'\n→ Did you mean run? The verbs are run, batches, explain, record, diagnose, predict, tune, compare, info, samples, profile, map, view, watch, export, doctor, demo.\n",
    });
  });

  test('an unknown option gets a suggestion', async () => {
    const { code, stderr } = await venturi('run', 'x.ts', '--recrod', 'y');
    expect(code).toBe(2);
    expect(stderr).toContain("unknown option '--recrod'\n→ Did you mean --record?");
  });

  test('a missing argument is named', async () => {
    const { code, stderr } = await venturi('info');
    expect(code).toBe(2);
    expect(stderr).toContain("missing required argument 'run'");
  });

  test('a bad quantity says which forms are taken', async () => {
    const { code, stderr } = await venturi('run', 'x.ts', '--for', 'ten');
    expect(code).toBe(2);
    expect(stderr).toContain("--for: 'ten' is not a length of time.\n→ Write a number");
  });

  test('with --json it is an object on stdout', async () => {
    const { code, stdout } = await venturi('run', '--json', 'x.ts', '--memory', 'much');
    expect(code).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({ schemaVersion: 1, error: { code: 'VENTURI_USAGE' } });
  });
});
