import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, vi } from 'vitest';
import { anyPython, skipped } from '../../../test/fixtures/python.ts';
import { hindranceOf, StartedPythons } from './started-pythons.ts';

const INJECTED = fileURLToPath(new URL('../../../python/inject', import.meta.url));
const GIVEN = ['VENTURI_RUN=/run', `PYTHONPATH=${INJECTED}`];
const hindrance = (command: string, environment: readonly string[] = GIVEN) =>
  hindranceOf(command.split(' '), environment, INJECTED);

describe('what keeps the probe out of a Python', () => {
  it.each([
    ['python3 -I train.py', '-I'],
    ['python3 -sE train.py', '-E'],
    ['python3 -W error -X dev -S train.py', '-S'],
    ['python3 -Werror -uS -m train', '-S'],
  ])('is an option: %s', (command, option) => {
    expect(hindrance(command)).toEqual({ type: 'option', option });
  });

  it.each([
    'python3 train.py -I',
    'python3 -m train -E',
    'python3 -c pass -S',
    'python3 -W ignore::E train.py',
    'python3 -XE -u train.py',
    'python3',
  ])('is no option of the program: %s', command => {
    expect(hindrance(command)).toBeUndefined();
  });

  it('is an environment without what was put there', () => {
    expect(hindrance('python3 train.py', [])).toEqual({ type: 'environment' });
    expect(hindrance('python3 train.py', ['VENTURI_RUN=/run', 'PYTHONPATH=src'])).toEqual({
      type: 'path',
      path: 'src',
    });
    expect(hindrance('python3 train.py', ['VENTURI_RUN=/run'])).toEqual({ type: 'path', path: undefined });
    const shadowed = [GIVEN[0] ?? '', `PYTHONPATH=${INJECTED}/../inject:${INJECTED}`];
    expect(hindrance('python3 train.py', shadowed)).toMatchObject({ type: 'shadowed' });
    expect(hindrance('python3 train.py', [GIVEN[0] ?? '', `PYTHONPATH=/nowhere:${INJECTED}`])).toBeUndefined();
  });
});

const isSeen = process.platform === 'linux' && anyPython !== undefined;

it.runIf(isSeen)(`is seen while a Python runs behind a shell and a launcher${skipped(anyPython, 'any')}`, async () => {
  const waits = `import sys; sys.stdin.read()`;
  const child = spawn('sh', ['-c', `env -i ${anyPython} -c '${waits}'; true`], {
    stdio: ['pipe', 'ignore', 'ignore'],
    env: { ...process.env, VENTURI_RUN: '/run', PYTHONPATH: INJECTED },
  });
  const pythons = new StartedPythons(child.pid ?? 0, INJECTED, () => false);
  try {
    await vi.waitFor(() => expect(pythons.all).not.toEqual([]), { timeout: 30_000 });
    expect(pythons.all).toMatchObject([{ hindrance: { type: 'environment' } }]);
    expect(pythons.all[0]?.command.slice(1)).toEqual(['-c', waits]);
  } finally {
    pythons.stop();
    child.stdin?.end();
  }
});
