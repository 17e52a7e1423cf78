/**
 * Large elements on many cores: JPEGs decoded, resized, cropped, mirrored, normalised, batches of 64, on the engine, by torch's DataLoader with
 * as many workers, at the limit (threads that write batches into shared memory and do nothing else), and on the engine with a consumer in
 * Python. Every consumer reads every cache line of every batch. Sides take turns, round by round. Node's sides tell what an image takes, of all threads.
 *
 * `--lanes 1,2,4,8,12,16`, `--rounds 5`, `--seconds 4` of measuring each, `--only engine,engine-copy,loader,limit,limit-copy,consumer`, `--way stack|elements|whole`
 * (bench/images16/pipeline.mjs), `--count 3000` images. `--images FOLDER` keeps the images. What is not over within `--minutes 9` is left for another call:
 * with `--results FILE` it goes on where the one before ended, also in the midst of a round. A number of lanes takes three to four minutes.
 */
import { mkdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inChild, inFolder, inProcess, option, orAbsent, probeEnvironment, spread } from './harness.mjs';
import { memoryFor } from './images16/memory.mjs';
import { pythonWithTorch } from './probe/torch-alone.mjs';
import { Results, reportLeft, Slice, turnsLeft } from './slices/results.mjs';

const node = url => request => inChild(url.href, [JSON.stringify(request)]);
const python = url => request =>
  inProcess(request.python, [fileURLToPath(url), JSON.stringify(request)], probeEnvironment());

const ENGINE = new URL('./images16/engine-run.mjs', import.meta.url);
const LIMIT = new URL('./images16/limit-run.mjs', import.meta.url);

/** The programs, by the names of `--only`. */
const SIDES = {
  engine: node(ENGINE),
  'engine-copy': request => node(ENGINE)({ ...request, copy: true }),
  loader: python(new URL('./images16/loader_run.py', import.meta.url)),
  limit: node(LIMIT),
  'limit-copy': request => node(LIMIT)({ ...request, copy: true }),
  consumer: python(new URL('./images16/consumer_run.py', import.meta.url)),
};

const LANES = [1, 2, 4, 8, 12, 16];
const MINUTES = 9;

/** Ratios of two sides, and what they should come to with as many lanes as there are in LANES. */
const RATIOS = [
  { name: 'images16/torch-dataloader', of: 'engine', to: 'loader', goal: '>= 1.4 at 16 lanes' },
  { name: 'images16/limit', of: 'engine', to: 'limit', goal: '>= 0.8 at 16 lanes' },
  { name: 'images16/limit-copy', of: 'engine-copy', to: 'limit-copy' },
  { name: 'python-consumer/torch-dataloader', of: 'consumer', to: 'loader', goal: '>= 1.3 at 16 lanes' },
];

export default async function images16(report, { args }) {
  const listed = (name, otherwise) => option(args, name)?.split(',') ?? otherwise;
  const number = (name, otherwise) => Number(option(args, name) ?? otherwise);
  const lanes = listed('lanes', LANES).map(Number);
  const only = listed('only', Object.keys(SIDES));
  const rounds = number('rounds', 5);
  const asked = { way: option(args, 'way') ?? 'stack', seconds: number('seconds', 4), count: number('count', 3000) };
  const measured = new Results(option(args, 'results'), asked);
  const slice = new Slice(number('minutes', MINUTES));
  const images = option(args, 'images');
  const sides = lanes.flatMap(threads => only.map(side => ({ side, threads })));
  const left = await (images === undefined
    ? inFolder(folder => measure(report, join(folder, 'images'), { sides, rounds, ...asked }, measured, slice))
    : measure(report, images, { sides, rounds, ...asked }, measured, slice));
  summarise(report, asked, measured.all);
  reportLeft(report, left, args);
}

async function measure(report, folder, { sides, rounds, seconds, way, count }, measured, slice) {
  mkdirSync(folder, { recursive: true });
  const { default: images } = await import('./images16/images.mjs');
  await images.run({ params: { folder, count, lanes: availableParallelism() } }).drain();
  const python = pythonWithTorch() ?? 'python3';
  const absent = new Set();
  const timesDone = ({ side, threads }) =>
    measured.all.filter(each => each.side === side && each.lanes === threads).length;
  const left = await slice.each(turnsLeft(sides, rounds, timesDone), async ({ side: { side, threads } }) => {
    if (absent.has(side)) return;
    const request = { folder, lanes: threads, seconds, way, python, memory: memoryFor(threads) };
    const told = await orAbsent(report, side, () => SIDES[side](request));
    if (told === undefined) {
      absent.add(side);
      return;
    }
    const { sum: _, ...figures } = told;
    measured.add({ side, lanes: threads, ...figures });
  });
  return [...new Set(left.map(({ round }) => `round ${round + 1}`))];
}

/** What an image takes, of sides that tell it. */
const WORK = [
  { key: 'userMs', of: 'user', unit: 'ms/image' },
  { key: 'systemMs', of: 'system', unit: 'ms/image' },
  { key: 'pageFaults', of: 'page-faults', unit: 'per image' },
  { key: 'switches', of: 'switches', unit: 'per image' },
];

function summarise(report, { way }, measured) {
  const figures = (key, side, lanes) =>
    measured
      .filter(each => each.side === side && each.lanes === lanes && each[key] !== undefined)
      .map(each => each[key]);
  const rates = (side, lanes) => figures('imagesPerSecond', side, lanes);
  const lanes = [...new Set(measured.map(each => each.lanes))].sort((a, b) => a - b);
  const facts = { unit: 'x', way, cores: availableParallelism() };
  for (const side of Object.keys(SIDES)) {
    for (const threads of lanes) {
      const found = rates(side, threads);
      if (found.length === 0) continue;
      report({ case: `${side}-${threads}`, ...spread(found), unit: 'images/s', rounds: found.length });
      for (const { key, of, unit } of WORK) {
        const told = figures(key, side, threads);
        if (told.length > 0) report({ case: `${side}-${threads}/${of}`, ...spread(told), unit });
      }
    }
  }
  for (const { name, of, to, goal } of RATIOS) {
    for (const threads of lanes) {
      const ratios = ratiosOf(rates(of, threads), rates(to, threads));
      if (ratios.length > 0) report({ case: name, ...spread(ratios), ...facts, lanes: threads, ...(goal && { goal }) });
    }
  }
  lanes.forEach((threads, index) => {
    const ratios = index === 0 ? [] : ratiosOf(rates('engine', threads), rates('engine', lanes[index - 1]));
    if (ratios.length > 0) report({ case: `images16/step-${threads}`, ...spread(ratios), ...facts, goal: '>= 0.95' });
  });
}

/** Round by round. */
const ratiosOf = (ours, theirs) =>
  Array.from({ length: Math.min(ours.length, theirs.length) }, (_, round) => ours[round] / theirs[round]);
