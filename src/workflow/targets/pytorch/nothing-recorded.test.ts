import { expect, it } from 'vitest';
import type { ControlMarks } from '../../../probes/pytorch/control.ts';
import type { Hindrance, StartedPython } from '../../../probes/pytorch/started-pythons.ts';
import { nothingRecorded } from './nothing-recorded.ts';

const MARKS: ControlMarks = {
  stopped: false,
  warned: false,
  probeLoaded: false,
  dataImported: false,
  enough: false,
  rotated: false,
  kept: false,
  foreignLoaders: [],
};
const python = (hindrance: Hindrance | undefined, ...command: string[]): StartedPython => ({
  pid: 7,
  command: ['python3', ...command],
  hindrance,
});
const LAUNCHER = python(undefined, 'launch.py');

it.each<[string, Partial<ControlMarks>, readonly StartedPython[] | undefined, RegExp]>([
  [
    'an option',
    {},
    [python({ type: 'option', option: '-I' }, '-I', 'train.py')],
    /python3 -I train\.py \(process 7\) was started with -I/,
  ],
  [
    'an environment',
    {},
    [LAUNCHER, python({ type: 'environment' }, 'train.py')],
    /train\.py \(process 7\).*environment of its own.*env=\{\*\*os\.environ/,
  ],
  [
    'a path behind a launcher that was entered',
    { probeLoaded: true },
    [LAUNCHER, python({ type: 'path', path: 'src' })],
    /PYTHONPATH was set to src by whoever started python3.*PYTHONPATH=src:\$PYTHONPATH/,
  ],
  ['a path taken away', {}, [python({ type: 'path', path: undefined })], /PYTHONPATH was taken away/],
  [
    'another sitecustomize',
    {},
    [python({ type: 'shadowed', file: 'src/sitecustomize.py' })],
    /finds src\/sitecustomize\.py before/,
  ],
  ['another user', {}, [python({ type: 'unreadable' })], /another user/],
  ['no torch', { probeLoaded: true }, [LAUNCHER], /never imported torch\.utils\.data/],
  ['no loader', { probeLoaded: true, dataImported: true }, [LAUNCHER], /iterated over no DataLoader/],
  ['an old Python', {}, [LAUNCHER], /was handed the probe and did not start it/],
  ['no Python', {}, [], /started no Python/],
  ['a machine where nobody can look', {}, undefined, /started no Python, or one that ignores its environment/],
])('nothing was recorded because of %s', (_, marks, pythons, said) => {
  expect(nothingRecorded({ ...MARKS, ...marks }, pythons)).toMatch(said);
});
