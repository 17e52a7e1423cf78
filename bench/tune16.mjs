/**
 * What `venturi tune` makes of the pipeline of `images16` as one writes it, in one lane, on many cores: against the best of {8, 12, 16 lanes} x {batch in
 * its lanes, in a stage of its own} x {consumer that borrows, that copies}. Every consumer reads every cache line of every batch; sides take turns.
 * A plan does not say how the consumer has its batches: the tuned pipeline is measured with both.
 *
 * `--lanes 8,12,16`, `--rounds 3`, `--seconds 3` of measuring each, `--for 6` of each recording of the tuner, `--count 3000` images. `--images FOLDER`
 * keeps the images, `--results FILE` the plan and the measurements: what is not over within `--minutes 5` is left for another call, which goes on there, also in the midst of a round.
 */
import { mkdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describePipeline } from 'venturi/engine';
import { inChild, inFolder, inProcess, median, option, orAbsent, spread } from './harness.mjs';
import { memoryFor } from './images16/memory.mjs';
import { Results, reportLeft, Slice, turnsLeft } from './slices/results.mjs';
import { describe } from './tune/changes.mjs';
import { arrangementsOf, tunedOf } from './tune16/arrangements.mjs';

const LANES = [8, 12, 16];
const PIPELINE = fileURLToPath(new URL('./images16/pipeline.mjs', import.meta.url));
const ENGINE = new URL('./images16/engine-run.mjs', import.meta.url).href;
const TUNED = fileURLToPath(new URL('./tune/tuned.mjs', import.meta.url));
/** As `venturi tune` starts itself. */
const ENVIRONMENT = { GLIBC_TUNABLES: 'glibc.malloc.mxfast=0', ...process.env };

export default async function tune16(report, { args }) {
  const number = (name, otherwise) => Number(option(args, name) ?? otherwise);
  const asked = {
    lanes: option(args, 'lanes')?.split(',').map(Number) ?? LANES,
    seconds: number('seconds', 3),
    recordedSeconds: number('for', 6),
    count: number('count', 3000),
  };
  const settings = { ...asked, rounds: number('rounds', 3) };
  const results = new Results(option(args, 'results'), asked);
  const slice = new Slice(number('minutes', 5));
  const images = option(args, 'images');
  const left = await (images === undefined
    ? inFolder(folder => measure(report, join(folder, 'images'), settings, results, slice))
    : measure(report, images, settings, results, slice));
  summarise(report, results.all);
  reportLeft(report, left, args);
}

async function measure(report, folder, { lanes, rounds, seconds, recordedSeconds, count }, results, slice) {
  mkdirSync(folder, { recursive: true });
  const { default: images } = await import('./images16/images.mjs');
  await images.run({ params: { folder, count, lanes: availableParallelism() } }).drain();
  const params = { folder, lanes: 1, way: 'elements' };
  if (planIn(results.all) === undefined) {
    const request = { pipeline: PIPELINE, params, epochs: 100, seconds: recordedSeconds };
    results.add({ plan: await inProcess(process.execPath, [TUNED, JSON.stringify(request)], ENVIRONMENT) });
  }
  const { default: pipeline } = await import(PIPELINE);
  const batch = describePipeline(pipeline, params).operators.find(({ gathers }) => gathers !== undefined).id;
  const arrangements = [...tunedOf(planIn(results.all).actions), ...arrangementsOf(lanes, batch)];
  const memory = memoryFor(Math.max(...lanes));
  const absent = new Set();
  const turns = turnsLeft(arrangements, rounds, ({ name }) => ratesOf(results.all, name).length);
  const left = await slice.each(turns, async ({ side: { name, consumer, lanes: inLanes, actions } }) => {
    if (absent.has(name)) return;
    const copy = consumer === 'copy';
    const request = { folder, way: params.way, seconds, memory, copy, lanes: inLanes, actions };
    const told = await orAbsent(report, name, () => inChild(ENGINE, [JSON.stringify(request)]));
    if (told === undefined) absent.add(name);
    else results.add({ name, imagesPerSecond: told.imagesPerSecond });
  });
  return [...new Set(left.map(({ round }) => `round ${round + 1}`))];
}

const planIn = results => results.find(({ plan }) => plan !== undefined)?.plan;

const ratesOf = (results, name) =>
  results.filter(each => each.name === name).map(({ imagesPerSecond }) => imagesPerSecond);

function summarise(report, results) {
  const plan = planIn(results);
  report({
    case: 'trials',
    value: Math.max(plan.before, ...plan.tried.map(({ rate }) => rate)) / plan.before,
    unit: 'x rate',
    plan: describe(plan.actions),
    ...(plan.unchanged !== undefined && { unchanged: plan.unchanged }),
    tried: plan.tried.map(({ actions }) => describe(actions)).join('; '),
    ...(plan.problems.length > 0 && { problems: plan.problems.map(({ message }) => message).join('; ') }),
  });
  const names = [...new Set(results.flatMap(({ name }) => name ?? []))];
  for (const name of names) {
    const rates = ratesOf(results, name);
    report({ case: name, ...spread(rates), unit: 'images/s', rounds: rates.length });
  }
  const facts = { plan: describe(plan.actions), cores: availableParallelism() };
  const others = names.filter(name => !name.startsWith('tuned-'));
  const compare = (title, tuned, among, goal) => {
    const ours = ratesOf(results, tuned);
    if (ours.length === 0 || among.length === 0) return;
    const best = among.reduce((a, b) => (median(ratesOf(results, b)) > median(ratesOf(results, a)) ? b : a));
    const ratios = ratesOf(results, best).flatMap((rate, round) => (round < ours.length ? ours[round] / rate : []));
    report({ case: title, ...spread(ratios), unit: 'x rate', ...(goal && { goal }), best, ...facts });
  };
  compare('vs-best', 'tuned-borrow', others, '>= 0.9');
  for (const consumer of ['borrow', 'copy']) {
    compare(
      `${consumer}/vs-best`,
      `tuned-${consumer}`,
      others.filter(name => name.endsWith(consumer)),
    );
  }
}
