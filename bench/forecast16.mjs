/**
 * How far forecasts for many lanes are off: pipelines on the engine (compute, images, text, sleeping) and DataLoader jobs, drawn from a seed
 * (`--seed N`), each recorded at one or two lanes or workers, forecast for 4, 8 and 16, and measured there by turns with the recorded number. Of
 * loaders, the share of its time that the consumer waits is forecast, too. A forecast that cannot be told counts as a miss.
 *
 * `--lanes 4,8,16` (those that the machine has cores for, unless given), `--rounds 3`, `--seconds 1` of measuring each (loaders: four times as long),
 * `--only compute,images,text,sleeping,loader`. It needs Node, the built package and a Python with torch. What is not over within `--minutes 9`
 * is left for another call: with `--results FILE` it goes on where the one before ended.
 */
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { measureCosts } from 'venturi';
import { withFreshCosts } from './forecast/fresh-costs.mjs';
import { outcome } from './forecast/outcome.mjs';
import { errorsOf, noiseFigure } from './forecast/summary.mjs';
import { jobsOf, loaderOutcome, waitingOf } from './forecast16/loader-jobs.mjs';
import { PIPELINE_FAMILIES, pipelinesOf } from './forecast16/pipelines.mjs';
import { option, orAbsent } from './harness.mjs';
import { pythonWithTorch, TORCH_ABSENT } from './probe/torch-alone.mjs';
import { Results, reportLeft, Slice } from './slices/results.mjs';

const LANES = [4, 8, 16];
const LOADER = 'loader';
const PHOTOS = 300;
const MINUTES = 9;
/** A batch of a loader takes longer than an element. */
const LOADER_TIMES = 4;

export default async function forecast16(report, { args }) {
  const number = (name, otherwise) => Number(option(args, name) ?? otherwise);
  const seed = number('seed', 1);
  const rounds = number('rounds', 3);
  const seconds = number('seconds', 1);
  const lanes = option(args, 'lanes')?.split(',').map(Number) ?? LANES.filter(each => each <= availableParallelism());
  const families = option(args, 'only')?.split(',') ?? [...PIPELINE_FAMILIES, LOADER];
  const results = new Results(option(args, 'results'), { seed, rounds, seconds, lanes });
  const isNew = ({ name }) => !results.all.some(each => each.name === name);
  const slice = new Slice(number('minutes', MINUTES));
  const left = await withFreshCosts(async folder => {
    const photos = { folder: join(folder, 'photos'), count: PHOTOS };
    const engine = { rounds, seconds, warm: seconds / 2, recordedSeconds: 4 * seconds };
    const loader = { rounds, seconds: LOADER_TIMES * seconds, recordedSeconds: 2 * LOADER_TIMES * seconds };
    const measureWith = (measured, times) => async one => {
      const result = await orAbsent(report, one.name, () => measured(one, folder, times));
      if (result === undefined) return;
      for (const facts of result.forecasts) report(facts);
      results.add({ name: one.name, ...result });
    };
    const pipelines = pipelinesOf(seed, lanes, photos).filter(one => families.includes(one.family) && isNew(one));
    if (pipelines.length > 0) await measureCosts();
    if (pipelines.some(({ family }) => family === 'images')) await makePhotos(photos);
    const jobs = families.includes(LOADER) ? jobsOf(seed, lanes).filter(isNew) : [];
    const python = jobs.length > 0 ? pythonWithTorch() : undefined;
    if (jobs.length > 0 && python === undefined) report({ case: LOADER, absent: TORCH_ABSENT });
    const later = await slice.each(pipelines, measureWith(outcome, engine));
    const ofLoaders = (one, ...more) => loaderOutcome(python, one, ...more);
    const jobsLater = await slice.each(python === undefined ? [] : jobs, measureWith(ofLoaders, loader));
    return [...later.map(({ family }) => family), ...jobsLater.map(() => LOADER)];
  });
  summarise(report, results.all, { seed, rounds });
  reportLeft(report, [...new Set(left)], args);
}

async function makePhotos({ folder, count }) {
  const { default: images } = await import('./images16/images.mjs');
  await images.run({ params: { folder, count, lanes: availableParallelism() } }).drain();
}

function summarise(report, results, { seed, rounds }) {
  if (results.length === 0) return;
  const facts = { seed, recordings: results.length };
  const isOfLoader = ({ name }) => name.startsWith(LOADER);
  const sides = { engine: results.filter(each => !isOfLoader(each)), loaders: results.filter(isOfLoader) };
  const forecastsOf = some => some.flatMap(({ forecasts }) => forecasts);
  for (const figure of errorsOf(forecastsOf(results), facts)) report(figure);
  for (const [side, its] of Object.entries(sides)) {
    if (its.length === 0) continue;
    const [{ goal: _, ...medianError }] = errorsOf(forecastsOf(its), { seed, recordings: its.length });
    report({ ...medianError, case: `${side}/median-error` });
  }
  for (const figure of waitingOf(forecastsOf(results), facts)) report(figure);
  report(
    noiseFigure(
      results.map(({ noise }) => noise),
      { ...facts, rounds },
    ),
  );
}
