/**
 * The probe in a Python program: what it costs per event and per element, and what it writes. Every round is a process
 * of its own; within it, epochs with the probe and without it alternate.
 */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inFolder, inProcess, medianInterval, medianOf, probeEnvironment, spread } from './harness.mjs';
import { isPythonAbsent, python } from './probe/python.mjs';
import { samples } from './probe/samples.mjs';

const MEASURE = fileURLToPath(new URL('./probe/measure.py', import.meta.url));
const ROUNDS = 5;
/**
 * Memory that was freed stays with the program. Else it goes back to the system and is cleared anew at random moments, up to 15 000 pages in an epoch of
 * 64 images, with the probe as without it: a tenth of the CPU, in which half a per cent drowns.
 */
const KEEP_MEMORY = { MALLOC_MMAP_THRESHOLD_: String(2 ** 30), MALLOC_TRIM_THRESHOLD_: String(2 ** 33) };

export default async function probe(report) {
  const cases = ['images/overhead', 'event/vs-lotus-logging', 'event/bytes', 'image/bytes', 'tiny-elements/overhead'];
  if (isPythonAbsent(report, cases)) {
    await samples(report, undefined, '');
    return;
  }
  await inFolder(async folder => {
    const measured = { images: [], tiny: [], cold: [] };
    for (let round = 0; round < ROUNDS; round++) {
      for (const name of Object.keys(measured)) measured[name].push(await measure(folder, name, round));
    }
    reportAll(report, measured);
    await samples(report, python, folder);
  });
}

function measure(folder, name, round) {
  const run = join(folder, `${name}-${round}`);
  return inProcess(python, [MEASURE, name, run], { ...probeEnvironment(), ...KEEP_MEMORY });
}

function reportAll(report, { images, tiny, cold }) {
  const perSpan = medianOf(cold, 'ours');
  const perBatch = medianOf(cold, 'batch');
  const perImage = medianOf(images, 'cpuPerImage');
  const accounted = results => (medianOf(images, 'spansPerImage') * results.ours + results.batch / 32) / perImage;
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
    spansPerImage: medianOf(images, 'spansPerImage'),
    coldUsPerSpan: perSpan / 1e3,
    coldUsPerBatch: perBatch / 1e3,
  });
  report({
    case: 'event/vs-lotus-logging',
    ...spread(cold.map(({ ours, lotus }) => lotus / ours)),
    unit: 'times',
    goal: '>= 5',
    lotusUs: medianOf(cold, 'lotus') / 1e3,
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
    cpuPerElementUs: medianOf(tiny, 'cpuPerElement') / 1e3,
  });
}
