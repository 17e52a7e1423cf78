/**
 * A small training with and without profilers, each in its own process and all of them in turn. What a profiler adds is
 * CPU: in the program, from its first batch to its last, and beside it, in a process of the profiler's own.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CLI, inFolder, median, medianOf, printed, spread } from './harness.mjs';
import { isPythonAbsent, python } from './probe/python.mjs';

const here = name => fileURLToPath(new URL(name, import.meta.url));
const TRAIN = here('./probe/train.py');
const SPENT = here('./probe/spent.py');
const ROUNDS = Number(process.env.ROUNDS ?? 5);
const IMAGES = 512;
const BATCH = 32;

/** A program beside the Python, or on the path. */
const beside = name => {
  const near = join(dirname(python), name);
  return existsSync(near) ? near : name;
};
const has = name => spawnSync(beside(name), ['--version'], { stdio: 'ignore' }).status === 0;
const train = [TRAIN, String(IMAGES), String(BATCH)];

/** As each profiler's own guide starts it, workers included where it can. */
const WAYS = {
  plain: { command: () => [python, ...train], is: () => true },
  venturi: {
    command: out => [process.execPath, CLI, 'record', '--out', out, '--', python, ...train],
    is: () => true,
  },
  'py-spy': {
    command: out => [beside('py-spy'), 'record', '--subprocesses', '-f', 'raw', '-o', out, '--', python, ...train],
    is: () => has('py-spy'),
  },
  austin: {
    command: out => [beside('austin'), '-C', '-o', out, python, ...train],
    is: () => has('austin'),
  },
  scalene: {
    command: out => [python, '-m', 'scalene', 'run', '--cpu-only', '-o', out, TRAIN, '---', ...train.slice(1)],
    is: () => spawnSync(python, ['-c', 'import scalene'], { stdio: 'ignore' }).status === 0,
  },
  'torch.profiler': { command: out => [python, ...train, 'torch-profiler', out], is: () => true },
};

export default async function profilers(report) {
  const names = Object.keys(WAYS).filter(name => name !== 'plain');
  if (isPythonAbsent(report, names)) return;
  const measured = Object.fromEntries(Object.keys(WAYS).map(name => [name, []]));
  await inFolder(async folder => {
    for (let round = 0; round < ROUNDS; round++) {
      for (const [name, way] of Object.entries(WAYS)) {
        if (way.is()) measured[name].push(await measure(folder, name, way, round));
      }
    }
  });
  for (const name of names) reportOne(report, name, measured[name], measured.plain);
}

async function measure(folder, name, way, round) {
  const out = join(folder, `${name}-${round}`);
  const { code, cpu, said, error } = JSON.parse(await printed('python3', [SPENT, ...way.command(out)]));
  if (said === null) return { failed: `it ended with ${code}: ${error}` };
  const bytes = [out, `${out}.json`, `${out}.venturi`].reduce((sum, path) => sum + sizeOf(path), 0);
  return { ...said, beside: Math.max(0, cpu - said.allCpu), bytes };
}

function sizeOf(path) {
  if (!existsSync(path)) return 0;
  const facts = statSync(path);
  return facts.isDirectory() ? readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0) : facts.size;
}

function reportOne(report, name, results, plain) {
  const good = results.filter(result => result.failed === undefined);
  if (good.length === 0) {
    report({ case: name, absent: results[0]?.failed ?? 'not installed' });
    return;
  }
  const pairs = results
    .map((result, round) => [result, plain[round]])
    .filter(([result]) => result.failed === undefined);
  report({
    case: name,
    ...spread(pairs.map(([result, alone]) => result.loopCpu / alone.loopCpu - 1)),
    unit: 'of the CPU',
    wall: median(pairs.map(([result, alone]) => result.loopWall / alone.loopWall - 1)),
    plainLoopCpu: medianOf(plain, 'loopCpu'),
    cpuBeside: medianOf(good, 'beside'),
    plainBeside: medianOf(plain, 'beside'),
    bytesPerImage: medianOf(good, 'bytes') / IMAGES,
    sameLoss: good.every(result => result.loss === plain[0].loss),
    rounds: good.length,
  });
}
