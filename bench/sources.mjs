/**
 * Sources: what each holds in memory while 1 GB passes under a budget of 64 MB, and what it costs to read. Every source
 * has a process to itself; objects come over loopback from another one. Files are made on the spot and read several times.
 * Then how well reading overlaps computing, by the clock: on a busy machine that says little.
 */
import { spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inChild, inFolder, median, medianOf, option, repeated, spread } from './harness.mjs';
import { ELEMENT_BYTES, make, makeFolder } from './sources/data.mjs';

const BUDGET = 64e6;
const BYTES = 1e9;
const FILE_BYTES = 125e6;
const ROUNDS = 3;
const PATHS = 1e6;
const PATHS_RUN = new URL('./sources/paths.mjs', import.meta.url).href;
const OVERLAPS = ['slow-files', 'tfrecords'];
const OVERLAP_BYTES = 120e6;
/** Of the storage in overlap.mjs. */
const BYTES_PER_SECOND = 100e6;
const OVERLAP_RUN = new URL('./sources/overlap-run.mjs', import.meta.url).href;
const RUN = new URL('./sources/run.mjs', import.meta.url).href;
const SERVER = new URL('./sources/server.mjs', import.meta.url);
const OBJECT_BYTES = 3e6;

const NAMES = [
  'range',
  'from',
  'lines',
  'jsonl',
  'csv',
  'tfrecords',
  'tfrecords-gzip',
  'tar',
  'webdataset',
  'parquet',
  'files',
  'glob',
  'objects',
];

/** `--only NAME,NAME`: these cases. `--bytes N`: that much of each. */
export default async function sources(report, { args }) {
  const chosen = option(args, 'only')?.split(',') ?? [...NAMES, ...OVERLAPS.map(kind => `overlap-${kind}`), 'paths'];
  const bytes = Number(option(args, 'bytes') ?? BYTES);
  for (const name of NAMES) if (chosen.includes(name)) await inFolder(folder => memory(report, name, folder, bytes));
  for (const kind of OVERLAPS) {
    if (chosen.includes(`overlap-${kind}`)) await inFolder(folder => overlap(report, kind, folder));
  }
  if (!chosen.includes('paths')) return;
  await inFolder(folder => paths(report, folder), existsSync('/dev/shm') ? '/dev/shm' : tmpdir());
}

/** Files are empty, in folders of a thousand, in memory where there is such a folder. */
async function paths(report, folder) {
  for (let number = 0; number < PATHS; number++) {
    const inside = join(folder, String(Math.floor(number / 1000)).padStart(6, '0'));
    if (number % 1000 === 0) mkdirSync(inside);
    closeSync(openSync(join(inside, `${number}.bin`), 'w'));
  }
  const runs = await repeated(ROUNDS, () => inChild(PATHS_RUN, [folder, PATHS]));
  report({
    case: 'paths/million',
    ...spread(runs.map(({ cpu }) => PATHS / cpu)),
    unit: 'paths/CPU s',
    firstBatchCpuMs: 1e3 * median(runs.map(({ first }) => first.cpu)),
    firstBatchWallMs: 1e3 * median(runs.map(({ first }) => first.wall)),
    grownMb: medianOf(runs, 'grown') / 1e6,
  });
}

/** What reading and computing take together, over what the longer of the two takes alone: 1 is a perfect overlap. */
async function overlap(report, kind, folder) {
  const path = kind === 'tfrecords' ? join(folder, 'file') : folder;
  const count = kind === 'tfrecords' ? make('tfrecords', path, OVERLAP_BYTES) : makeFolder(path, OVERLAP_BYTES);
  const rounds = { read: [], compute: [], both: [] };
  for (let round = 0; round < ROUNDS; round++) {
    for (const part of Object.keys(rounds))
      rounds[part].push((await inChild(OVERLAP_RUN, [kind, part, path, count])).wall);
  }
  const { read, compute, both } = rounds;
  report({
    case: `overlap/${kind}`,
    ...spread(both.map((wall, round) => wall / Math.max(read[round], compute[round]))),
    unit: 'x wall',
    wall: median(both),
    readAlone: median(read),
    computeAlone: median(compute),
    ...(kind === 'slow-files' && { ofBandwidth: OVERLAP_BYTES / BYTES_PER_SECOND / median(read) }),
  });
}

async function memory(report, name, folder, bytes) {
  const data = await prepare(name, folder, bytes);
  try {
    const runs = await repeated(ROUNDS, () => inChild(RUN, [name, BUDGET, JSON.stringify(data.params)]));
    for (const run of runs) {
      if (run.elements === data.elements) continue;
      throw new Error(`${name}: ${run.elements} elements came, not ${data.elements}`);
    }
    const [{ bytes: read, elements }] = runs;
    report({
      case: `memory/${name}`,
      ...spread(runs.map(({ peak, baseline }) => (peak - baseline - BUDGET) / 1e6)),
      unit: 'MB',
      grownMb: median(runs.map(({ peak, baseline }) => peak - baseline)) / 1e6,
      baselineMb: medianOf(runs, 'baseline') / 1e6,
      budgetMb: BUDGET / 1e6,
      goal: '<= 20',
    });
    report({
      case: `read/${name}`,
      ...spread(runs.map(({ cpu }) => read / 1e6 / cpu)),
      unit: 'MB/CPU s',
      wall: read / 1e6 / medianOf(runs, 'wall'),
      readMb: read / 1e6,
      elements,
    });
  } finally {
    data.close?.();
  }
}

/** The source's parameters and how many elements it will give. Small files come first: the pipeline rests on them. */
async function prepare(name, folder, bytes) {
  if (name === 'range') return { params: { count: bytes / 8 }, elements: bytes / 8 };
  if (name === 'from') return { params: { count: bytes / ELEMENT_BYTES }, elements: bytes / ELEMENT_BYTES };
  const passes = Math.max(1, Math.round(bytes / FILE_BYTES));
  if (name === 'objects') {
    const { port, close } = await serve();
    const large = Array.from(
      { length: Math.ceil(bytes / OBJECT_BYTES) },
      (_, at) => `http://127.0.0.1:${port}/${OBJECT_BYTES}/${at}`,
    );
    const small = Array.from({ length: 16 }, (_, at) => `http://127.0.0.1:${port}/1000/${at}`);
    return { params: { paths: JSON.stringify([...small, ...large]) }, elements: small.length + large.length, close };
  }
  if (name === 'files' || name === 'glob') {
    const elements = makeFolder(folder, Math.min(bytes, FILE_BYTES)) * passes;
    return { params: { paths: JSON.stringify([folder]), passes }, elements };
  }
  const [small, large] = [join(folder, 'small'), join(folder, 'large')];
  const few = make(name, small, 1);
  const many = make(name, large, Math.min(bytes, FILE_BYTES));
  const paths = [...Array(4).fill(small), ...Array(passes).fill(large)];
  return { params: { paths: JSON.stringify(paths) }, elements: 4 * few + passes * many };
}

function serve() {
  const server = spawn(process.execPath, [SERVER.pathname], { stdio: ['ignore', 'pipe', 'inherit'] });
  return new Promise((resolve, reject) => {
    server.on('error', reject);
    server.stdout.once('data', port => resolve({ port: Number(port), close: () => server.kill() }));
  });
}
