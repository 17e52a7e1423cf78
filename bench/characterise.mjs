/**
 * What a recording says of the programs in `examples/pytorch`, as Lotus's tables and figures ask it: which native functions
 * serve an operator (`symbols`), how short operators are (`operators`), how preparation varies with the size of a batch
 * (`batch-size`), and what the number of workers does to waits, delays and the CPU of operators (`workers`).
 */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inFolder, venturi as runVenturi } from './harness.mjs';
import { isPythonAbsent, python } from './probe/python.mjs';
import { perfAbsent } from './probe/samples.mjs';

const example = name => fileURLToPath(new URL(`../examples/pytorch/${name}.py`, import.meta.url));
const perf = perfAbsent() === undefined ? ['--perf', '--perf-frequency', '1999'] : [];

const CASES = { symbols, operators, 'batch-size': batchSize, workers };

export default async function characterise(report, { args }) {
  const wanted = args.filter(arg => arg in CASES);
  for (const name of wanted.length > 0 ? wanted : Object.keys(CASES)) {
    if (!isPythonAbsent(report, [name])) await inFolder(folder => CASES[name](report, folder));
  }
}

// What is looked at is preparation: threads of a step that wait for each other beside workers would hide it.
const venturi = (...args) => runVenturi(args, { env: { OMP_NUM_THREADS: '1', ...process.env } });

/** Records an example and gives the folder of the recording. The images of one folder serve all recordings. */
async function record(folder, name, script, options, how = []) {
  const out = join(folder, name);
  const images = script === 'text' ? [] : ['--folder', join(folder, script)];
  await venturi('record', ...how, '--out', out, '--', python, example(script), ...images, ...options);
  return out;
}

/** Table I: native functions behind each operator, by samples joined with spans. */
async function symbols(report, folder) {
  if (perf.length === 0) {
    report({ case: 'symbols', absent: perfAbsent() });
    return;
  }
  const run = await record(folder, 'symbols', 'classify', ['--workers', 2, '--epochs', 6], perf);
  const { samples } = JSON.parse(await venturi('samples', run, '--json'));
  for (const { operator, ofOperators, cpu, hits, symbols: rows } of samples.operators) {
    report({
      case: `symbols/${operator}`,
      value: ofOperators,
      unit: 'of operators',
      cpuMs: cpu / 1e6,
      samples: hits,
      functions: rows.length,
      most: rows
        .slice(0, 4)
        .map(({ symbol, module, ofOperator, ofSymbol }) => {
          const kernel = /(\w+_kernel)/.exec(symbol)?.[1] ?? symbol;
          return `${kernel} (${module}) ${percent(ofOperator)}, ${percent(ofSymbol)} of its own`;
        })
        .join('; '),
    });
  }
}

/** Table II: how long operators take on an element, and how many of these times a sampling profiler would miss. */
async function operators(report, folder) {
  const jobs = {
    classify: ['--workers', 1, '--epochs', 3],
    segment: ['--workers', 1],
    detect: ['--workers', 1],
    text: ['--workers', 1],
  };
  for (const [script, options] of Object.entries(jobs)) {
    const run = await record(folder, script, script, options);
    const { batches } = JSON.parse(await venturi('info', run, '--json'));
    for (const loader of batches.loaders) {
      for (const row of loader.operators) {
        report({
          case: `operators/${script}/${loader.name}/${row.operator}`,
          value: row.mean / 1e6,
          unit: 'ms',
          p50: row.p50 / 1e6,
          p90: row.p90 / 1e6,
          below10ms: row.below10ms,
          below100us: row.below100us,
          timed: row.timed,
        });
      }
    }
  }
}

const BATCH_SIZES = [8, 16, 32, 64, 128];

/** Figure 4: T1 of batches of several sizes; the same number of images goes through each. */
async function batchSize(report, folder) {
  const runs = [];
  for (const size of BATCH_SIZES) {
    const options = ['--images', 640, '--batch', size, '--workers', 1, '--epochs', 3];
    runs.push(await record(folder, `batch-${size}`, 'classify', options));
  }
  for (const [at, run] of runs.entries()) {
    const { batches } = JSON.parse(await venturi('info', run, '--json'));
    const [{ preparation, cpu }] = batches.loaders;
    report({
      case: `batch-size/${BATCH_SIZES[at]}`,
      value: preparation.deviation / preparation.mean,
      unit: 'of the mean',
      meanMs: preparation.mean / 1e6,
      betweenQuartilesMs: (preparation.p75 - preparation.p25) / 1e6,
      // Time on a core: what other programs do is not in it.
      cpuDeviation: cpu.deviation / cpu.mean,
      cpuMeanMs: cpu.mean / 1e6,
      cpuBetweenQuartilesMs: (cpu.p75 - cpu.p25) / 1e6,
      batches: preparation.count,
    });
  }
}

const WORKERS = [0, 1, 2, 3, 4];

/** Figures 5 and 6: waits and delays of batches, and the CPU of operators, over the number of workers. */
async function workers(report, folder) {
  const runs = [];
  for (const count of WORKERS) {
    const options = ['--images', 640, '--batch', 32, '--workers', count, '--epochs', 3];
    runs.push(await record(folder, `workers-${count}`, 'classify', options, perf));
  }
  const series = JSON.parse(await venturi('compare', ...runs, '--json'));
  for (const run of series.runs) {
    const late = run.late.flatMap(({ longerThan, waits, delays }) => [
      [`waits>${longerThan / 1e6}ms`, waits],
      [`delays>${longerThan / 1e6}ms`, delays],
    ]);
    report({
      case: `workers/${run.workers}`,
      value: run.elementsPerSecond,
      unit: 'images/s',
      elapsedS: run.elapsed / 1e9,
      cpuS: run.cpu / 1e9,
      waiting: run.waitShare,
      ...Object.fromEntries(late),
    });
  }
  for (const { operator, costs } of series.operators) {
    const cpu = costs.map(cost => (cost?.cpu ?? 0) / 1e6);
    if (cpu.every(time => time === 0)) continue;
    report({
      case: `workers/cpu/${operator}`,
      value: cpu.at(-1) / cpu[0],
      unit: 'times',
      ...Object.fromEntries(WORKERS.map((count, at) => [`ms${count}`, cpu[at]])),
    });
  }
}

const percent = share => `${(100 * share).toFixed(1)} %`;
