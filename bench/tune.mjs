/**
 * What tuning brings, against the best of an exhaustive search, as many threads as cores, a climb on latency, and nothing. A word behind
 * the bench's name, `ratios`, `slow-storage`, `steps`, `half` (on half the cores), `deviations` (one thread more or less) or `figures` (step by
 * step, in virtual time), leaves out the rest; without one, the first three are measured, `steps` in virtual time
 * alone. `--only=images,ocr` chooses examples, `--seconds=2` and `--rounds=5` how long each run is and how often winners are measured again. Every run has a process to itself.
 * Rates are by the clock: this needs a machine that does nothing else.
 */
import { availableParallelism } from 'node:os';
import { inFolder, option, orAbsent } from './harness.mjs';
import { deviationsOf } from './tune/deviations.mjs';
import { example, NAMES } from './tune/examples.mjs';
import { figures } from './tune/figures.mjs';
import { Measured } from './tune/measure.mjs';
import { ratiosOf } from './tune/ratios.mjs';
import { slowStorage } from './tune/slow-storage.mjs';
import { stepsOf } from './tune/steps.mjs';
import { virtualSteps } from './tune/virtual-steps.mjs';

/** How often winners are measured again. Single rounds of one pipeline are a quarter apart at times: goals need more of them. */
const ROUNDS = 5;
const ROUNDS_FOR_GOALS = 16;

/** Threads bring something in these; the others are near their optimum as they are, or need a cache. */
const WITH_STEPS = ['images', 'images-fused', 'detection', 'ocr'];

export default async function tune(report, { args }) {
  const [, group] = args.filter(arg => !arg.startsWith('-'));
  await inFolder(folder => measureGroup(report, group, args, folder));
}

async function measureGroup(report, group, args, folder) {
  const only = option(args, 'only')?.split(',');
  const settings = {
    folder,
    cores: availableParallelism(),
    seconds: Number(option(args, 'seconds') ?? 0.8),
    rounds: Number(option(args, 'rounds') ?? ROUNDS),
  };
  const examples = new Examples(report, settings);
  const wanted = name => group === undefined || group === name;
  if (wanted('ratios')) {
    const rounds = Number(option(args, 'rounds') ?? ROUNDS_FOR_GOALS);
    await ratios(report, examples, only ?? NAMES, { ...settings, rounds });
  }
  if (wanted('slow-storage')) await orAbsent(report, 'slow-storage', () => slowStorage(report, settings));
  if (wanted('steps')) await virtualSteps(report, settings);
  if (group === 'steps') {
    await examples.each(only ?? WITH_STEPS, measured => stepsOf(report, measured, settings.cores));
  }
  if (group === 'half') await half(report, only ?? NAMES, settings);
  if (group === 'deviations') {
    await examples.each(only ?? NAMES, measured => deviationsOf(report, measured, settings));
  }
  if (group === 'figures') await figures(report, settings);
}

/** Examples with what has been measured of them. */
class Examples {
  #measured = new Map();
  #report;
  #settings;
  #cores;

  /** `cores` to which processes are bound, where not all may be used. */
  constructor(report, { folder, seconds }, cores) {
    this.#report = report;
    this.#settings = { folder, seconds };
    this.#cores = cores;
  }

  /** One after the other. */
  async each(names, measure) {
    const results = [];
    for (const name of names) {
      const result = await orAbsent(this.#report, name, async () => measure(await this.#get(name)));
      if (result !== undefined) results.push({ name, ...result });
    }
    return results;
  }

  async #get(name) {
    const made = () => new Measured(example(name), { ...this.#settings, cores: this.#cores }).prepare();
    if (!this.#measured.has(name)) this.#measured.set(name, await made());
    return this.#measured.get(name);
  }
}

async function ratios(report, examples, names, settings) {
  const all = await examples.each(names, measured => ratiosOf(report, measured, settings));
  if (all.length === 0) return;
  for (const [other, goal] of [
    ['exhaustive', '>= 0.95'],
    ['heuristic', '>= 1'],
  ]) {
    const worst = all.reduce((a, b) => (b[other].value < a[other].value ? b : a));
    report({ case: `worst/vs-${other}`, ...worst[other], unit: 'x rate', example: worst.name, of: all.length, goal });
  }
}

async function half(report, names, settings) {
  const cores = Math.floor(settings.cores / 2);
  if (cores < 1) {
    report({ case: 'half', absent: 'this process may use one core' });
    return;
  }
  await new Examples(report, settings, cores).each(names, measured =>
    ratiosOf(report, measured, { ...settings, cores, title: `half/${measured.example.name}` }),
  );
}
