import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { OperatorFactSchema } from '../src/model/loader-facts.ts';
import { anyPython } from './fixtures/python.ts';

const STEPS = [
  ['Images.__getitem__', 'dataset'],
  ['open', 'open'],
  ['decode', 'decode'],
  ['Resize#2', 'transform'],
  ['RandomCrop', 'transform'],
  ['mine', 'span'],
  ['default_collate', 'collate'],
] as const;

test.skipIf(anyPython === undefined)('the probe says of steps what follows from their kinds in runs of 0.1', () => {
  const code = [
    'import json, sys',
    'from venturi_probe.pytorch.preparation import step_traits',
    'print(json.dumps([step_traits.of(*step) for step in json.loads(sys.argv[1])]))',
  ].join('\n');
  const { stdout, stderr } = spawnSync(anyPython ?? '', ['-c', code, JSON.stringify(STEPS)], {
    encoding: 'utf8',
    env: { ...process.env, PYTHONPATH: fileURLToPath(new URL('../python', import.meta.url)) },
  });
  expect(stderr).toBe('');
  const derived = STEPS.map(([operator, kind]) => OperatorFactSchema.parse({ operator, kind }).traits);
  expect(JSON.parse(stdout)).toEqual(derived);
  expect(derived.map(({ steady }) => steady)).toEqual([false, true, true, true, false, false, false]);
  // What it says counts, whatever the kind is called.
  const [, , , , , , collates] = derived;
  expect(OperatorFactSchema.parse({ operator: 'x', kind: 'unheard-of', traits: collates }).traits).toEqual(collates);
});
