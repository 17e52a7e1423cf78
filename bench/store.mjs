/**
 * The run on disk: what a span costs to write, and what a summary of all spans costs to read.
 * Every case runs in a fresh process; this file is also that process's program.
 */
import { existsSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { summariseSpans } from 'venturi';
import { createRun, openLane, openRun } from 'venturi/store';
import { inChild, inFolder, median, medianOf, peakMemory, repeated, spread, timed } from './harness.mjs';
import { facts } from './virtual/manifest.mjs';

const OPERATORS = 8;
const RECORD_BYTES = 24;
const REPETITIONS = 7;

export default async function store(report) {
  await inFolder(async folder => {
    const run = join(folder, 'spans.venturi');
    const role = (name, ...args) => inChild(import.meta.url, [name, run, ...args]);
    const spans = 1e7;
    const written = await repeated(REPETITIONS, () => role('write', spans));
    report({
      case: 'write/spans-per-second',
      ...spread(written.map(({ cpu }) => spans / cpu)),
      unit: 'spans/cpu-s',
      wall: median(written.map(({ wall }) => spans / wall)),
      goal: '>= 1e7',
    });

    const read = await repeated(REPETITIONS, async () => check(await role('aggregate'), spans));
    report({
      case: 'aggregate/cpu-seconds-10M',
      ...spread(read.map(({ cpu }) => cpu)),
      unit: 's',
      wall: medianOf(read, 'wall'),
      goal: '<= 1',
    });
    reportMemory(report, 'aggregate/rss-mb-10M', read);

    await memoryOf100M(report, role, folder);
  });
}

async function memoryOf100M(report, role, folder) {
  const spans = 1e8;
  const { bavail, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  const needed = spans * RECORD_BYTES * 1.1;
  if (free < needed) {
    const gigabytes = bytes => `${(bytes / 1e9).toFixed(1)} GB`;
    report({
      case: 'aggregate/rss-mb-100M',
      absent: `needs ${gigabytes(needed)} in ${tmpdir()}, ${gigabytes(free)} are free`,
    });
    return;
  }
  await role('write', spans);
  const read = await repeated(3, async () => check(await role('aggregate'), spans));
  reportMemory(report, 'aggregate/rss-mb-100M', read);
}

/** Memory has neither CPU nor wall time of its own: both are told beside it. */
function reportMemory(report, name, read) {
  report({
    case: name,
    ...spread(read.map(({ rss }) => rss / 1e6)),
    unit: 'MB',
    wall: medianOf(read, 'wall'),
    cpu: medianOf(read, 'cpu'),
    goal: '<= 200',
  });
}

/** A figure for a wrong answer would be worth nothing. */
function check(result, spans) {
  const counted = result.rows.reduce((sum, row) => sum + row.count, 0);
  if (counted !== spans || result.rows.length !== OPERATORS) {
    throw new Error(`${spans} spans of ${OPERATORS} operators were written, ${counted} of ${result.rows.length} read`);
  }
  for (const { mean, p50, p99 } of result.rows) {
    // Durations are uniform from 1 µs to 1 µs + 2^20 ns.
    const near = (value, share) => Math.abs(value / (1000 + share * 2 ** 20) - 1) < 0.02;
    if (!near(mean, 0.5) || !near(p50, 0.5) || !near(p99, 0.99)) throw new Error('the summary is wrong');
  }
  return result;
}

const roles = {
  async write(folder, count) {
    if (existsSync(folder)) rmSync(folder, { recursive: true });
    const run = createRun(folder, { ...facts('spans'), start: String(process.hrtime.bigint()) });
    const lane = openLane(run.folder, { name: 'bench', pid: process.pid, tid: 0 });
    const operators = Array.from({ length: OPERATORS }, (_, index) => lane.subjectNumber(`operator:${index}`));
    const spans = Number(count);
    const took = await timed(() => {
      let moment = Number(process.hrtime.bigint());
      let random = 1;
      for (let index = 0; index < spans; index++) {
        random = (Math.imul(random, 1664525) + 1013904223) >>> 0;
        const duration = 1000 + (random >>> 12);
        lane.span(operators[index % OPERATORS], index, moment, duration);
        moment += duration;
      }
      lane.close(moment);
    });
    if (lane.warnings.length > 0) throw new Error(lane.warnings.join(' '));
    run.finish({
      status: 'completed',
      endedAt: new Date().toISOString(),
      monotonic: String(process.hrtime.bigint()),
      warnings: [],
    });
    return took;
  },

  async aggregate(folder) {
    let rows;
    const took = await timed(async () => {
      rows = await summariseSpans(openRun(folder));
    });
    return { ...took, rows, rss: peakMemory() };
  },
};

// As the program of a fresh process: `node store.mjs ROLE FOLDER …`.
if (process.argv[1] === new URL(import.meta.url).pathname) {
  const [role, ...args] = process.argv.slice(2);
  process.stdout.write(`${JSON.stringify(await roles[role](...args))}\n`);
}
