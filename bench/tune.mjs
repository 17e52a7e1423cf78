/**
 * What tuning brings, against the best of an exhaustive search, as many threads as cores, a climb on latency, and nothing. A word behind
 * the bench's name, `ratios`, `slow-storage`, `steps`, `half` (on half the cores), `deviations` (one thread more or less) or `figures` (step by
 * step, in virtual time), leaves out the rest; without one, the first three are measured. `--only=images,ocr` chooses examples, `--seconds=2` and `--rounds=5` how long each run is and how often winners are
 * measured again. Every run has a process to itself. Rates are by the clock: this needs a machine that does nothing else.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { medianInterval } from './harness.mjs';
import { deviationsOf } from './tune/deviations.mjs';
import { example, NAMES } from './tune/examples.mjs';
import { figures } from './tune/figures.mjs';
import { Measured } from './tune/measure.mjs';
import { ratiosOf } from './tune/ratios.mjs';
import { slowStorage } from './tune/slow-storage.mjs';
import { stepsOf } from './tune/steps.mjs';

export default async function tune(report, { args }) {
  const [, group] = args.filter(arg => !arg.startsWith('-'));
  const option = (name, otherwise) =>
    args.find(arg => arg.startsWith(`--${name}=`))?.slice(name.length + 3) ?? otherwise;
  const folder = mkdtempSync(join(tmpdir(), 'venturi-tune-'));
  const settings = {
    folder,
    cores: availableParallelism(),
    seconds: Number(option('seconds', 1)),
    rounds: Number(option('rounds', 3)),
    names: option('only', NAMES.join(',')).split(','),
  };
  const wanted = name => group === undefined || group === name;
  try {
    if (wanted('ratios')) await ratios(report, settings);
    if (wanted('slow-storage')) await slowStorage(report, settings);
    if (wanted('steps')) await steps(report, settings);
    if (group === 'half') await half(report, settings);
    if (group === 'deviations') await deviations(report, settings);
    if (group === 'figures') await figures(report, settings);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function ratios(report, { names, cores, ...settings }) {
  const all = [];
  for (const name of names) {
    const measured = await new Measured(example(name), settings).prepare();
    all.push({ name, ...(await ratiosOf(report, measured, { cores, ...settings })) });
  }
  for (const [other, goal] of [
    ['exhaustive', '>= 0.95'],
    ['heuristic', '>= 1'],
  ]) {
    const worst = all.reduce((a, b) => (b[other].value < a[other].value ? b : a));
    report({ case: `worst/vs-${other}`, ...worst[other], unit: 'x rate', example: worst.name, of: all.length, goal });
  }
}

async function deviations(report, { names, ...settings }) {
  const { cores: _, ...all } = settings;
  for (const name of names) await deviationsOf(report, await new Measured(example(name), all).prepare(), settings);
}

async function steps(report, { names, cores, ...settings }) {
  const all = [];
  for (const name of names) {
    const measured = await new Measured(example(name), settings).prepare();
    const result = await stepsOf(report, measured, cores);
    if (result !== undefined) all.push(...result.walks.map(walk => ({ walk, ours: result.ours })));
  }
  if (all.length === 0) {
    report({
      case: 'steps/vs-random-walk',
      absent: 'every example is within 5 % of its optimum before the first step',
    });
    return;
  }
  report({
    case: 'steps/vs-random-walk',
    ...medianInterval(all.map(({ ours, walk }) => ours / walk)),
    unit: 'x steps',
    meanOurs: mean(all.map(({ ours }) => ours)),
    meanWalk: mean(all.map(({ walk }) => walk)),
    goal: '<= 0.5',
  });
}

const mean = values => values.reduce((sum, value) => sum + value, 0) / values.length;

/** The same on half the cores, where there is more than one. */
async function half(report, { names, cores, ...settings }) {
  const some = Math.floor(cores / 2);
  if (some < 1) {
    report({ case: 'half', absent: 'this process may use one core' });
    return;
  }
  for (const name of names) {
    const measured = await new Measured(example(name), { ...settings, cores: some }).prepare();
    await ratiosOf(report, measured, { cores: some, ...settings, title: `half/${name}` });
  }
}
