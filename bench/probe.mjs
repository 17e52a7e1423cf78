/**
 * The probe in a Python program: what it costs per event and per element, and what it writes. Every round is a process
 * of its own; within it, epochs with the probe and without it alternate.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { median, medianInterval, spread } from './harness.mjs';
import { PYTHON_ABSENT, python } from './probe/python.mjs';
import { samples } from './probe/samples.mjs';

const MEASURE = fileURLToPath(new URL('./probe/measure.py', import.meta.url));
const PROBE = fileURLToPath(new URL('./node_modules/venturi/python', import.meta.url));
const ROUNDS = 5;
/**
 * Memory that was freed stays with the program. Else it goes back to the system and is cleared anew at random moments, up to 15 000 pages in an epoch of
 * 64 images, with the probe as without it: a tenth of the CPU, in which half a per cent drowns.
 */
const KEEP_MEMORY = { MALLOC_MMAP_THRESHOLD_: String(2 ** 30), MALLOC_TRIM_THRESHOLD_: String(2 ** 33) };

export default async function probe(report) {
  const cases = ['images/overhead', 'event/vs-lotus-logging', 'event/bytes', 'image/bytes', 'tiny-elements/overhead'];
  if (python === undefined) {
    for (const name of cases) report({ case: name, absent: PYTHON_ABSENT });
    await samples(report, undefined, '');
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), 'venturi-probe-bench-'));
  try {
    const measured = { images: [], tiny: [], cold: [] };
    for (let round = 0; round < ROUNDS; round++) {
      for (const name of Object.keys(measured)) measured[name].push(await measure(folder, name, round));
    }
    reportAll(report, measured);
    await samples(report, python, folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(folder, name, round) {
  const PYTHONPATH = [PROBE, process.env.PYTHONPATH].filter(Boolean).join(delimiter);
  const run = join(folder, `${name}-${round}`);
  const env = { ...process.env, ...KEEP_MEMORY, PYTHONPATH };
  const { stdout } = await promisify(execFile)(python, [MEASURE, name, run], { env });
  return JSON.parse(stdout.trimEnd().split('\n').at(-1));
}

function reportAll(report, { images, tiny, cold }) {
  const of = (results, key) => median(results.map(result => result[key]));
  const perSpan = of(cold, 'ours');
  const perBatch = of(cold, 'batch');
  const perImage = of(images, 'cpuPerImage');
  const accounted = results => (of(images, 'spansPerImage') * results.ours + results.batch / 32) / perImage;
  const pairedImages = medianInterval(images.flatMap(result => result.ratios));
  report({
    case: 'images/overhead',
    ...spread(cold.map(accounted)),
    unit: 'of the CPU',
    goal: '<= 0.01',
    paired: pairedImages.value,
    pairedLow: pairedImages.low,
    pairedHigh: pairedImages.high,
    cpuPerImageMs: perImage / 1e6,
    spansPerImage: of(images, 'spansPerImage'),
    coldUsPerSpan: perSpan / 1e3,
    coldUsPerBatch: perBatch / 1e3,
  });
  report({
    case: 'event/vs-lotus-logging',
    ...spread(cold.map(({ ours, lotus }) => lotus / ours)),
    unit: 'times',
    goal: '>= 5',
    lotusUs: of(cold, 'lotus') / 1e3,
    oursUs: perSpan / 1e3,
    psutil: cold[0].psutil ? 'asked' : 'absent, so the peer is spared it',
  });
  report({ case: 'event/bytes', ...spread(images.map(result => result.bytesPerEvent)), unit: 'bytes', goal: '<= 24' });
  report({ case: 'image/bytes', ...spread(images.map(result => result.bytesPerImage)), unit: 'bytes', goal: '<= 160' });
  report({
    case: 'tiny-elements/overhead',
    ...medianInterval(tiny.flatMap(result => result.ratios)),
    unit: 'of the CPU',
    goal: '<= 0.10',
    cpuPerElementUs: of(tiny, 'cpuPerElement') / 1e3,
  });
}
