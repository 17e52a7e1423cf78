/** How far sizes are off when they are told from a part of the data. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { diagnose } from 'venturi';
import { METRICS } from 'venturi/model';
import { recordRun } from 'venturi/record';
import { createRun, openLane } from 'venturi/store';
import { median } from '../harness.mjs';
import { facts, START } from '../virtual/manifest.mjs';
import { logNormal, randomOf } from '../virtual/random.mjs';
import decoded, { sizeOf } from './decoded.mjs';

const SEEDS = 200;
const FILES = 1000;
const READ = 0.01;

/** Records of a source from the first 1 % of its files, whose sizes are log-normal: recordings are written as a source's lane writes them. */
export async function sourceError(report, folder) {
  const errors = [];
  let covered = 0;
  let width = 0;
  for (let seed = 1; seed <= SEEDS; seed++) {
    const { path, truth } = recordSource(join(folder, 'source'), seed);
    const { sizes } = await diagnose(path);
    const { estimate, low, high } = sizes[0].elements;
    errors.push(Math.abs(estimate / truth - 1));
    if (low <= truth && truth <= high) covered++;
    width += (high - low) / 2 / estimate / SEEDS;
    rmSync(path, { recursive: true });
  }
  const sorted = errors.sort((a, b) => a - b);
  report({
    case: 'size/source-error',
    value: sorted.reduce((sum, error) => sum + error, 0) / SEEDS,
    unit: 'share',
    p50: median(sorted),
    p95: sorted[Math.floor(SEEDS * 0.95)],
    seeds: SEEDS,
    goal: '<= 0.01',
  });
  report({ case: 'size/source-coverage', value: covered / SEEDS, unit: 'share', halfWidth: width, goal: '>= 0.9' });
}

function recordSource(folder, seed) {
  const random = randomOf(seed);
  const size = logNormal(1e6, 1);
  const files = Array.from({ length: FILES }, () => {
    const bytes = size(random);
    // Records of 1 kB in the mean, spread like their files; and some files hold denser ones than others.
    const mean = 1000 * (1 + 0.01 * random.normal());
    return { bytes, records: (bytes / mean) * (1 + (0.5 / Math.sqrt(bytes / mean)) * random.normal()) };
  });
  const totalBytes = files.reduce((sum, { bytes }) => sum + bytes, 0);
  const truth = files.reduce((sum, { records }) => sum + records, 0);
  const graph = {
    operators: [{ id: 'records', kind: 'tfrecords', label: 'records', inputs: [], settings: {}, sequential: true }],
    channels: [],
    stages: [{ id: 'records', operators: ['records'], parallelism: 1 }],
    fingerprint: '',
  };
  const run = createRun(folder, facts('source', graph));
  const lane = openLane(run.folder, { name: 'records#0', pid: 1, tid: 1, opened: BigInt(START) });
  const write = (key, moment, figures) => {
    const number = key === undefined ? 0 : lane.subjectNumber(key);
    for (const [metric, value] of Object.entries(figures)) {
      lane.counter(number, METRICS[metric].code, START + Math.round(moment * 1e9), Math.round(value), 0);
    }
  };
  // A reading every tenth of a second, as the engine's probe makes them, at 1 MB/s.
  const read = files.slice(0, Math.round(READ * FILES));
  const bytes = read.reduce((sum, file) => sum + file.bytes, 0);
  for (let moment = 0.1; moment < bytes / 1e6 + 0.1; moment += 0.1) {
    const now = Math.min(moment, bytes / 1e6);
    let left = now * 1e6;
    let finished = 0;
    let records = 0;
    for (const file of read) {
      const part = Math.min(1, left / file.bytes);
      records += part * file.records;
      if (part > 1 - 1e-9) finished++;
      left -= part * file.bytes;
    }
    write(undefined, now, { running: now * 1e9, runnable: 0, blocked: 0, starved: 0, backpressured: 0 });
    write('operator:records', now, {
      elementsOut: records,
      bytesOut: now * 1e6,
      sourceDone: (1e12 * now) / totalBytes,
      ...(finished > 0 && { sourceFiles: finished }),
    });
  }
  const end = START + Math.round((bytes / 1e6) * 1e9);
  lane.close(end);
  run.finish({ status: 'stopped', endedAt: '', monotonic: String(end), warnings: [] });
  return { path: run.folder, truth };
}

const ELEMENTS = 4000;
const DECODED_SEEDS = 12;

/** Bytes behind a decoder from the first 5 % of the elements, on the engine. */
export async function decodedError(report, folder) {
  const errors = [];
  let covered = 0;
  for (let seed = 1; seed <= DECODED_SEEDS; seed++) {
    const path = join(folder, 'decoded.venturi');
    const run = recordRun(path, decoded, { params: { elements: ELEMENTS, seed } });
    let seen = 0;
    for await (const _ of run) if (++seen >= 0.05 * ELEMENTS) break;
    await run.finished;
    const { sizes } = await diagnose(path);
    const { bytes } = sizes.find(({ id }) => id === 'decode');
    let truth = 0;
    for (let index = 0; index < ELEMENTS; index++) truth += sizeOf(seed, index);
    errors.push(Math.abs(bytes.estimate / truth - 1));
    if (bytes.low <= truth && truth <= bytes.high) covered++;
    rmSync(path, { recursive: true });
  }
  report({
    case: 'size/decoded-error',
    value: errors.reduce((sum, error) => sum + error, 0) / errors.length,
    low: Math.min(...errors),
    high: Math.max(...errors),
    unit: 'share',
    covered: covered / DECODED_SEEDS,
    runs: 'engine',
    goal: '<= 0.05',
  });
}
