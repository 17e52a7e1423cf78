/**
 * Batches of four rows without workers: what recording costs each of them in CPU, while it goes on and after it has ended, and whether all of them are
 * counted. Every round is a process of its own; within it, epochs with the probe and without it alternate.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { median, medianInterval } from './harness.mjs';
import { PYTHON_ABSENT, python } from './probe/python.mjs';

const MEASURE = fileURLToPath(new URL('./probe/tiny_batches.py', import.meta.url));
const PACKAGE = fileURLToPath(new URL('./node_modules/venturi', import.meta.url));
const ROUNDS = 4;
const run = promisify(execFile);

export default async function tinyBatches(report) {
  if (python === undefined) {
    for (const name of ['cost-us', 'cost-us-after-end', 'counted']) report({ case: name, absent: PYTHON_ABSENT });
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), 'venturi-tiny-batches-'));
  try {
    const measured = [];
    for (let round = 0; round < ROUNDS; round++) measured.push(await measure(join(folder, `round-${round}`)));
    const all = key => measured.flatMap(result => result[key]);
    report({
      case: 'cost-us',
      ...medianInterval(all('recording')),
      unit: 'µs per batch',
      goal: '<= 5',
      bareUs: median(measured.map(({ bare }) => bare)),
    });
    report({ case: 'cost-us-after-end', ...medianInterval(all('ended')), unit: 'µs per batch', goal: '<= 0.2' });
    const counted = measured.map(({ seen, batches }) => seen / batches);
    report({
      case: 'counted',
      value: median(counted),
      low: Math.min(...counted),
      high: Math.max(...counted),
      unit: 'of the batches',
      goal: '1',
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(name) {
  const PYTHONPATH = [join(PACKAGE, 'python'), process.env.PYTHONPATH].filter(Boolean).join(delimiter);
  const { stdout } = await run(python, [MEASURE, name], { env: { ...process.env, PYTHONPATH } });
  const info = await run(process.execPath, [join(PACKAGE, 'dist/cli/main.js'), 'info', name, '--json'], {
    maxBuffer: 2 ** 26,
  });
  const [loader] = JSON.parse(info.stdout).batches.loaders;
  return {
    ...JSON.parse(stdout.trimEnd().split('\n').at(-1)),
    seen: loader.elements === 4 * loader.batches ? loader.batches : 0,
  };
}
